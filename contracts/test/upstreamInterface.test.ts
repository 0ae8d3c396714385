import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Abi, parseAbi } from 'viem'
import { prgMarketAbi, swarmCoordinatorAbi } from '../../deployments/abi.ts'

/** RL Swarm's SwarmCoordinator 0.6.0, as its callers encode and decode it. */
const coordinator = parseAbi([
  'function initialize(address owner_)',
  'function OWNER_ROLE() view returns (bytes32)',
  'function BOOTNODE_MANAGER_ROLE() view returns (bytes32)',
  'function STAGE_MANAGER_ROLE() view returns (bytes32)',
  'function grantRole(bytes32 role, address account)',
  'function revokeRole(bytes32 role, address account)',
  'function hasRole(bytes32 role, address account) view returns (bool)',
  'function currentRound() view returns (uint256)',
  'function currentStage() view returns (uint256)',
  'function stageCount() pure returns (uint256)',
  'function updateStageAndRound() returns (uint256, uint256)',
  'function registerPeer(string peerId)',
  'function getPeerId(address[] eoas) view returns (string[][])',
  'function getEoa(string[] peerIds) view returns (address[])',
  'function addBootnodes(string[] newBootnodes)',
  'function removeBootnode(uint256 index)',
  'function clearBootnodes()',
  'function getBootnodes() view returns (string[])',
  'function getBootnodesCount() view returns (uint256)',
  'function submitWinners(uint256 roundNumber, string[] winners, string peerId)',
  'function getVoterVotes(uint256 roundNumber, string peerId) view returns (string[])',
  'function getVoterVoteCount(string peerId) view returns (uint256)',
  'function getTotalWins(string peerId) view returns (uint256)',
  'function uniqueVoters() view returns (uint256)',
  'function submitReward(uint256 roundNumber, uint256 stageNumber, int256 reward, string peerId)',
  'function submitReward(uint256 roundNumber, uint256 stageNumber, uint256 reward, string peerId)',
  'function getRoundStageReward(uint256 roundNumber, uint256 stageNumber, address[] accounts) view returns (int256[])',
  'function hasSubmittedRoundStageReward(uint256 roundNumber, uint256 stageNumber, string peerId) view returns (bool)',
  'function getTotalRewards(string[] peerIds) view returns (int256[])',
  'function upgradeToAndCall(address newImplementation, bytes data) payable',
  'event StageAdvanced(uint256 indexed roundNumber, uint256 newStage)',
  'event RoundAdvanced(uint256 indexed newRoundNumber)',
  'event PeerRegistered(address indexed eoa, string peerId)',
  'event BootnodesAdded(address indexed manager, uint256 count)',
  'event BootnodeRemoved(address indexed manager, uint256 index)',
  'event AllBootnodesCleared(address indexed manager)',
  'event WinnerSubmitted(address indexed account, string peerId, uint256 indexed roundNumber, string[] winners)',
  'event RewardSubmitted(address indexed account, uint256 indexed roundNumber, uint256 indexed stageNumber, int256 reward, string peerId)',
  'event CumulativeRewardsUpdated(address indexed account, string peerId, int256 totalRewards)',
  'event RoleGranted(bytes32 indexed role, address indexed account, address indexed sender)',
  'event RoleRevoked(bytes32 indexed role, address indexed account, address indexed sender)',
  'error StageOutOfBounds()',
  'error InvalidBootnodeIndex()',
  'error InvalidRoundNumber()',
  'error WinnerAlreadyVoted()',
  'error PeerIdAlreadyRegistered()',
  'error InvalidVoterPeerId()',
  'error OnlyOwner()',
  'error OnlyBootnodeManager()',
  'error OnlyStageManager()',
  'error RewardAlreadySubmitted()',
  'error InvalidStageNumber()',
  'error InvalidVote()',
])

/** RL Swarm's prediction market, as its clients call it. */
const market = parseAbi([
  'constructor(address swarmCoordinator, address initialOwner)',
  'function createNewGame(uint256 roundCount, uint256 choiceCount_, bytes32 merkleRoot) returns (uint256 newGameIdx)',
  'function guessAnswer(uint256 gameIdx, string peerId, uint256 roundIdx, uint256 choiceIdx, uint256 bet)',
  'function incrementRound(uint256 gameIdx)',
  'function revealAnswer(uint256 gameIdx, uint256 correctChoiceIdx, uint256 jobId)',
  'function claimReward(uint256 gameIdx, string peerId)',
  'function betTokenBalance(string peerId) view returns (uint256)',
  'function choiceCount(uint256 gameIdx) view returns (uint256)',
  'function choiceSupply(uint256 gameIdx, uint256 choiceIdx) view returns (uint256)',
  'function choiceTokenBalance(uint256 gameIdx, uint256 choiceIdx, string peerId) view returns (uint256)',
  'function choiceTokensOut(uint256 gameIdx, uint256 roundIdx, uint256 choiceIdx, uint256 bet) view returns (uint256)',
  'function currentRoundIdx(uint256 gameIdx) view returns (uint256)',
  'function price(uint256 gameIdx, uint256 roundIdx, uint256 choiceIdx) view returns (uint256)',
  'function totalBets(uint256 gameIdx) view returns (uint256)',
  'function gameStatus(uint256 gameIdx) view returns (uint8)',
  'function owner() view returns (address)',
  'function transferOwnership(address newOwner)',
  'function renounceOwnership()',
  'event NewGameCreated(uint256 indexed gameIdx, uint256 roundCount, uint256 choiceCount, uint256 startTime)',
  'event NewGuess(uint256 indexed gameIdx, address caller, string peerId, uint256 roundIdx, uint256 choiceIdx, uint256 bet)',
  'event RoundIncremented(uint256 indexed gameIdx, uint256 timestamp)',
  'event AnswerRevealed(uint256 indexed gameIdx, uint256 correctChoiceIdx, uint256 jobId)',
  'event RewardClaimed(uint256 indexed gameIdx, address caller, string peerId, uint256 correctChoiceTokensIn, uint256 betTokensOut)',
])

/** Whether a caller may read it, or must send it; pure and view are one to callers. */
const isRead = (mutability: string) => mutability === 'view' || mutability === 'pure'

/** An item of an ABI without what no caller sees: names of arguments and results. */
function seen(item: Abi[number]): string {
  const bare = (inputs: readonly { type: string; indexed?: boolean | undefined }[]) =>
    inputs.map(({ type, indexed }) => `${type}${indexed ? ' indexed' : ''}`).join()
  if (item.type === 'fallback' || item.type === 'receive') return item.type
  const name = 'name' in item ? item.name : ''
  const shape = `${item.type} ${name}(${bare(item.inputs)})`
  return item.type === 'function'
    ? `${shape} ${isRead(item.stateMutability) ? 'read' : item.stateMutability} (${bare(item.outputs)})`
    : shape
}

for (const [name, known, ours] of [
  ['SwarmCoordinator 0.6.0', coordinator, swarmCoordinatorAbi],
  ['prediction market', market, prgMarketAbi],
] as const) {
  test(`all that callers know of RL Swarm's ${name} is there, to the bit`, () => {
    const there = new Set((ours as Abi).map(seen))
    assert.deepEqual(
      (known as Abi).map(seen).filter(item => !there.has(item)),
      [],
    )
  })
}
