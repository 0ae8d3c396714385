// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IPeerRegistry} from "./IPeerRegistry.sol";
import {IRounds} from "./IRounds.sol";

/// @title ISwarmCoordinator
/// @notice The interface that RL Swarm's nodes call, version 0.6.0. What they report is only *claimed*: it is stored
/// unchecked, and settlement never reads it.
/// @dev Errors are RL Swarm's, without arguments, except for those of imports, which RL Swarm's contract does not have.
/// Two things differ from the original. A peer that `PeerRegistry` has proven belongs to the account that proved it,
/// whoever claimed it here. Under a computed schedule rounds advance by themselves.
interface ISwarmCoordinator {
    /// @notice A row of RL Swarm's leaderboard.
    /// @param peerId The peer's id there.
    /// @param rewards Its total rewards there.
    /// @param wins Its total wins there.
    struct LeaderboardRow {
        string peerId;
        int128 rewards;
        uint64 wins;
    }

    /// @notice Emitted after `RoundAdvanced`: a round has one stage.
    /// @param roundNumber The round.
    /// @param newStage Always 0.
    event StageAdvanced(uint256 indexed roundNumber, uint256 newStage);

    /// @notice Emitted when a round begins; under a computed schedule, at the first `updateStageAndRound` in it.
    /// @param newRoundNumber The round.
    event RoundAdvanced(uint256 indexed newRoundNumber);

    /// @notice Emitted when an account claims a peer id.
    /// @param eoa The account.
    /// @param peerId The claimed id, any string.
    event PeerRegistered(address indexed eoa, string peerId);

    /// @notice Emitted when bootnodes are added.
    /// @param manager Who added them.
    /// @param count How many.
    event BootnodesAdded(address indexed manager, uint256 count);

    /// @notice Emitted when a bootnode is removed.
    /// @param manager Who removed it.
    /// @param index Where it was.
    event BootnodeRemoved(address indexed manager, uint256 index);

    /// @notice Emitted when all bootnodes are removed.
    /// @param manager Who removed them.
    event AllBootnodesCleared(address indexed manager);

    /// @notice Emitted when a peer names winners of a round.
    /// @param account The peer's account.
    /// @param peerId The peer.
    /// @param roundNumber The round.
    /// @param winners The winners named; any strings.
    event WinnerSubmitted(address indexed account, string peerId, uint256 indexed roundNumber, string[] winners);

    /// @notice Emitted when a role is granted, even if the account already has it.
    /// @param role The role.
    /// @param account Who gets it.
    /// @param sender Who granted it.
    event RoleGranted(bytes32 indexed role, address indexed account, address indexed sender);

    /// @notice Emitted when a role is revoked, even if the account lacks it.
    /// @param role The role.
    /// @param account Who loses it.
    /// @param sender Who revoked it.
    event RoleRevoked(bytes32 indexed role, address indexed account, address indexed sender);

    /// @notice Emitted when a peer reports its own reward.
    /// @param account The peer's account.
    /// @param roundNumber The round.
    /// @param stageNumber The stage.
    /// @param reward What it claims.
    /// @param peerId The peer.
    event RewardSubmitted(
        address indexed account,
        uint256 indexed roundNumber,
        uint256 indexed stageNumber,
        int256 reward,
        string peerId
    );

    /// @notice Emitted after `RewardSubmitted`.
    /// @param account The peer's account.
    /// @param peerId The peer.
    /// @param totalRewards All that the peer has claimed.
    event CumulativeRewardsUpdated(address indexed account, string peerId, int256 totalRewards);

    /// @notice Emitted for each row of RL Swarm's leaderboard that is imported. Not part of RL Swarm's interface.
    /// @param peerId The peer.
    /// @param rewards Its total rewards there.
    /// @param wins Its total wins there.
    event LeaderboardRowImported(string peerId, int256 rewards, uint256 wins);

    /// @notice Thrown when rows are imported after settlement may have begun.
    /// @param round The current round.
    /// @param closedFrom The first round in which imports are closed.
    error SwarmCoordinator_ImportClosed(uint256 round, uint256 closedFrom);

    /// @notice Thrown when an import exceeds the limit.
    /// @param count Rows after the import.
    /// @param most `MAX_IMPORTED`.
    error SwarmCoordinator_TooManyImported(uint256 count, uint256 most);

    /// @notice Thrown when a peer is imported twice.
    /// @param peerId The peer.
    error SwarmCoordinator_AlreadyImported(string peerId);

    /// @notice Part of the interface; nothing throws it.
    error StageOutOfBounds();

    /// @notice Thrown when a removed bootnode does not exist.
    error InvalidBootnodeIndex();

    /// @notice Thrown when the round has not begun.
    error InvalidRoundNumber();

    /// @notice Thrown when a peer names winners of a round twice.
    error WinnerAlreadyVoted();

    /// @notice Thrown when a claimed peer id is already claimed or proven.
    error PeerIdAlreadyRegistered();

    /// @notice Thrown when the sender acts for a peer that is not its own.
    error InvalidVoterPeerId();

    /// @notice Thrown when an account without `OWNER_ROLE` calls an owner's function.
    error OnlyOwner();

    /// @notice Thrown when an account without `BOOTNODE_MANAGER_ROLE` changes bootnodes.
    error OnlyBootnodeManager();

    /// @notice Thrown when an account without `STAGE_MANAGER_ROLE` calls `updateStageAndRound`.
    error OnlyStageManager();

    /// @notice Thrown when a peer already reported a reward for the round and stage.
    error RewardAlreadySubmitted();

    /// @notice Thrown when the stage has not begun.
    error InvalidStageNumber();

    /// @notice Thrown when a list names a winner twice.
    error InvalidVote();

    /// @notice Gives all three roles to `owner_`; once.
    /// @param owner_ The owner.
    function initialize(address owner_) external;

    /// @notice Grants a role. Role: `OWNER_ROLE`.
    /// @param role The role; any word.
    /// @param account Who gets it.
    function grantRole(bytes32 role, address account) external;

    /// @notice Revokes a role. Role: `OWNER_ROLE`.
    /// @param role The role; any word.
    /// @param account Who loses it.
    function revokeRole(bytes32 role, address account) external;

    /// @notice Begins the next round under a manual schedule; under a computed one it only announces the current round,
    /// once. Role: `STAGE_MANAGER_ROLE`.
    /// @return round The current round, then.
    /// @return stage Always 0.
    function updateStageAndRound() external returns (uint256 round, uint256 stage);

    /// @notice Claims a peer id, without proof.
    /// @param peerId Any string that nobody has claimed or proven.
    function registerPeer(string calldata peerId) external;

    /// @notice Adds bootnodes. Role: `BOOTNODE_MANAGER_ROLE`.
    /// @param newBootnodes Any strings.
    function addBootnodes(string[] calldata newBootnodes) external;

    /// @notice Removes a bootnode; the last one takes its place. Role: `BOOTNODE_MANAGER_ROLE`.
    /// @param index Where it is.
    function removeBootnode(uint256 index) external;

    /// @notice Removes all bootnodes. Role: `BOOTNODE_MANAGER_ROLE`.
    function clearBootnodes() external;

    /// @notice Names winners of a round for one of the sender's peers.
    /// @param roundNumber The current round or a past one.
    /// @param winners Any distinct strings; an empty list leaves the vote open.
    /// @param peerId The peer.
    function submitWinners(uint256 roundNumber, string[] calldata winners, string calldata peerId) external;

    /// @notice Reports a reward of one of the sender's peers.
    /// @param roundNumber The current round or a past one.
    /// @param stageNumber 0; 1 passes in past rounds.
    /// @param reward Any number.
    /// @param peerId The peer.
    function submitReward(uint256 roundNumber, uint256 stageNumber, int256 reward, string calldata peerId) external;

    /// @notice The same, for callers that encode a `uint256`: numbers from 2^255 on wrap to negative.
    /// @param roundNumber The current round or a past one.
    /// @param stageNumber 0; 1 passes in past rounds.
    /// @param reward Any number.
    /// @param peerId The peer.
    function submitReward(uint256 roundNumber, uint256 stageNumber, uint256 reward, string calldata peerId) external;

    /// @notice Imports rows of RL Swarm's leaderboard, each peer once, before the first settlement. They are claims,
    /// stored apart from what callers claim here: no other view includes them. Role: `OWNER_ROLE`.
    /// @param rows The rows; any strings and numbers.
    function importLeaderboard(LeaderboardRow[] calldata rows) external;

    /// @notice Whether an account has a role.
    /// @param role The role.
    /// @param account The account.
    /// @return has Whether it has.
    function hasRole(bytes32 role, address account) external view returns (bool has);

    /// @notice The current round; 0 before the first.
    /// @return round The round.
    function currentRound() external view returns (uint256 round);

    /// @notice The current stage.
    /// @return stage Always 0.
    function currentStage() external pure returns (uint256 stage);

    /// @notice The peer ids of accounts: first those that each claimed, in that order, without those that another
    /// account has proven; then those that it has proven and did not claim.
    /// @param eoas The accounts.
    /// @return peerIds A list for each.
    function getPeerId(address[] calldata eoas) external view returns (string[][] memory peerIds);

    /// @notice The accounts of peer ids: who proved it, else who claimed it, else zero.
    /// @param peerIds The peer ids.
    /// @return eoas An account for each.
    function getEoa(string[] calldata peerIds) external view returns (address[] memory eoas);

    /// @notice All bootnodes.
    /// @return bootnodes The list.
    function getBootnodes() external view returns (string[] memory bootnodes);

    /// @notice How many bootnodes there are.
    /// @return count Number of bootnodes.
    function getBootnodesCount() external view returns (uint256 count);

    /// @notice The winners that a peer named.
    /// @param roundNumber The round.
    /// @param peerId The peer.
    /// @return winners As it named them.
    function getVoterVotes(uint256 roundNumber, string calldata peerId) external view returns (string[] memory winners);

    /// @notice How often a peer named winners, empty lists included.
    /// @param peerId The peer.
    /// @return count Number of submissions.
    function getVoterVoteCount(string calldata peerId) external view returns (uint256 count);

    /// @notice How often a peer was named.
    /// @param peerId The peer.
    /// @return count Number of votes.
    function getTotalWins(string calldata peerId) external view returns (uint256 count);

    /// @notice How many peers have ever named winners.
    /// @return count Number of peers.
    function uniqueVoters() external view returns (uint256 count);

    /// @notice What the peers of accounts claimed in a round and stage, summed by account.
    /// @param roundNumber The round.
    /// @param stageNumber The stage.
    /// @param accounts The accounts.
    /// @return rewards A sum for each.
    function getRoundStageReward(
        uint256 roundNumber,
        uint256 stageNumber,
        address[] calldata accounts
    ) external view returns (int256[] memory rewards);

    /// @notice Whether a peer has reported a reward.
    /// @param roundNumber The round.
    /// @param stageNumber The stage.
    /// @param peerId The peer.
    /// @return submitted Whether it has.
    function hasSubmittedRoundStageReward(
        uint256 roundNumber,
        uint256 stageNumber,
        string calldata peerId
    ) external view returns (bool submitted);

    /// @notice All that peers have claimed.
    /// @param peerIds The peers.
    /// @return rewards A sum for each.
    function getTotalRewards(string[] calldata peerIds) external view returns (int256[] memory rewards);

    /// @notice The imported row of a peer.
    /// @param peerId The peer.
    /// @return isImported Whether there is a row.
    /// @return rewards Its total rewards in RL Swarm.
    /// @return wins Its total wins there.
    function importedOf(string calldata peerId) external view returns (bool isImported, int256 rewards, uint256 wins);

    /// @notice How many rows may ever be imported.
    /// @return most Number of rows.
    function MAX_IMPORTED() external view returns (uint256 most);

    /// @notice Stages in a round.
    /// @return count Always 1.
    function stageCount() external pure returns (uint256 count);

    /// @notice The role that grants roles and upgrades.
    /// @return role The role's id.
    function OWNER_ROLE() external view returns (bytes32 role);

    /// @notice The role that changes bootnodes.
    /// @return role The role's id.
    function BOOTNODE_MANAGER_ROLE() external view returns (bytes32 role);

    /// @notice The role that calls `updateStageAndRound`.
    /// @return role The role's id.
    function STAGE_MANAGER_ROLE() external view returns (bytes32 role);

    /// @notice The registry whose proofs override claims.
    /// @return registry The contract.
    function peerRegistry() external view returns (IPeerRegistry registry);

    /// @notice The clock.
    /// @return clock The contract.
    function rounds() external view returns (IRounds clock);
}
