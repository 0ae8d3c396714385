// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IRewardVotes} from "./IRewardVotes.sol";
import {IRolloutCommitments} from "./IRolloutCommitments.sol";
import {IRounds} from "./IRounds.sol";
import {ITaskPay} from "./ITaskPay.sol";

/// @title IOpenings
/// @notice Pays evaluators for scores of single leaves that agree, which a guessed typical vote does not achieve.
/// @dev A ballot commits to the score of every leaf behind its votes. The beacon of the round in which ballots are
/// revealed, unknown while they could still be made, draws one peer with points for each shard, and one of the leaves
/// on which it is scored. In r + 4 each seat opens its committed score for that leaf, with proof that the peer
/// committed to it; no other leaf is accepted. In r + 5 anyone closes the shard: seats whose scores are within the
/// tolerance of the median are paid. A seat's pay does not depend on who else is paid. It is a fifth of the shard's
/// part of the emission (its peers with points divided by those of the round) if its vote on the peer equals the
/// settled score, and falls linearly to 1 / (tolerance + 1) of that at the tolerance. What no seat earns is never
/// minted.
/// The draw needs two numbers of the environment's specification, which anyone can tell the contract once.
interface IOpenings is ITaskPay {
    /// @notice A score that a ballot committed to.
    /// @param ballot The ballot, as it was revealed.
    /// @param salt Its salt.
    /// @param peerKey The peer that was drawn.
    /// @param work The peer's commitment.
    /// @param leaf The leaf's header.
    /// @param leafProof Siblings under `work.root`, from the leaf up.
    /// @param scoreMilli The leaf's score, 0 to 1000.
    /// @param componentsHash sha-256 of the components behind it.
    /// @param componentProof Siblings of the leaf's place under the ballot's root for the peer, from the leaf up: a
    /// tree over `work.leafCount` places, and empty ones up to a power of two. The bits of `leaf.index` tell the side.
    struct Opening {
        IRewardVotes.Ballot ballot;
        bytes32 salt;
        bytes32 peerKey;
        IRolloutCommitments.Work work;
        IRolloutCommitments.Leaf leaf;
        bytes32[] leafProof;
        uint16 scoreMilli;
        bytes32 componentsHash;
        bytes32[] componentProof;
    }

    /// @notice Emitted when an environment's specification is described.
    /// @param environmentHash Its hash.
    /// @param owed Leaves that a peer owes in a round.
    /// @param sampled Leaves of them that are scored.
    event EnvironmentDescribed(bytes32 indexed environmentHash, uint16 owed, uint16 sampled);

    /// @notice Emitted when a seat opens the score of a leaf.
    /// @param round The round voted on.
    /// @param evaluatorKey The evaluator.
    /// @param shard The shard.
    /// @param position The seat's position on its committee.
    /// @param peerKey The peer that was drawn.
    /// @param index The leaf.
    /// @param scoreMilli Its score.
    event ComponentOpened(
        uint64 indexed round,
        bytes32 indexed evaluatorKey,
        uint32 shard,
        uint8 position,
        bytes32 peerKey,
        uint32 index,
        uint16 scoreMilli
    );

    /// @notice Emitted when a shard's openings are closed.
    /// @param round The round voted on.
    /// @param shard The shard.
    /// @param index The leaf that was drawn.
    /// @param medianMilli The lower median of its scores; 65535, and `index` 0, where fewer than two seats opened it.
    /// @param paidWei Pay of each position of the committee.
    event OpeningsClosed(
        uint64 indexed round,
        uint32 indexed shard,
        uint32 index,
        uint16 medianMilli,
        uint256[5] paidWei
    );

    /// @notice Thrown when a step is taken in the wrong round.
    /// @param round The round voted on.
    /// @param dueRound The round of this step.
    /// @param currentRound The current round.
    error Openings_WrongRound(uint64 round, uint256 dueRound, uint64 currentRound);

    /// @notice Thrown when nothing was drawn: the beacon of round r + 2 is missing, the shard has no peer with points,
    /// or the peer committed none of the leaves that are scored.
    /// @param round The round voted on.
    /// @param shard The shard.
    error Openings_NothingDrawn(uint64 round, uint32 shard);

    /// @notice Thrown when another account than the seat's opens its score.
    /// @param evaluatorKey The evaluator.
    /// @param account The sender.
    error Openings_NotSeatAccount(bytes32 evaluatorKey, address account);

    /// @notice Thrown when an unrevealed ballot is opened.
    /// @param round The round voted on.
    /// @param evaluatorKey The evaluator.
    error Openings_NotRevealed(uint64 round, bytes32 evaluatorKey);

    /// @notice Thrown when a seat opens twice.
    /// @param round The round voted on.
    /// @param evaluatorKey The evaluator.
    error Openings_AlreadyOpened(uint64 round, bytes32 evaluatorKey);

    /// @notice Thrown when the opened peer is not the one drawn.
    /// @param peerKey The peer named.
    /// @param ordinal The ordinal drawn.
    error Openings_NotDrawn(bytes32 peerKey, uint32 ordinal);

    /// @notice Thrown when the vote on the drawn peer earns nothing: the peer was not scored, the vote is outside the
    /// tolerance of its score, or the peer is the evaluator's own.
    /// @param round The round voted on.
    /// @param evaluatorKey The evaluator.
    error Openings_VoteDisagrees(uint64 round, bytes32 evaluatorKey);

    /// @notice Thrown when the opened leaf is not the one drawn.
    /// @param round The round voted on.
    /// @param peerKey The peer.
    /// @param index The leaf drawn.
    error Openings_NotDrawnLeaf(uint64 round, bytes32 peerKey, uint32 index);

    /// @notice Thrown when nobody has described the round's environment with `describe`.
    /// @param round The round voted on.
    /// @param environmentHash The environment's hash.
    error Openings_NotDescribed(uint64 round, bytes32 environmentHash);

    /// @notice Thrown when the ballot did not commit to the score at the leaf's place.
    /// @param round The round voted on.
    /// @param evaluatorKey The evaluator.
    error Openings_NotItsScore(uint64 round, bytes32 evaluatorKey);

    /// @notice Opens the score of the drawn leaf, in round r + 4: of the leaves on which the drawn peer is scored, in
    /// the order drawn, the first from the drawn place on that it committed, starting over after the last. Only the
    /// account that now speaks for the evaluator may. The environment must have been described.
    /// @param opening The opened score and its proofs.
    function open(Opening calldata opening) external;

    /// @notice Tells the contract how many leaves an environment's peers owe and how many are scored; without this no
    /// score of its rounds can be opened. Anyone may call, for any specification; calling again changes nothing.
    /// @dev Offsets are the caller's: a specification must not hold either name, as CBOR has it, a second time.
    /// @param specification The environment's specification: canonical dag-cbor.
    /// @param owedAt Offset of the key `owedLeaves` in it, at its head byte.
    /// @param sampledAt The same of `sampledLeaves`.
    function describe(bytes calldata specification, uint256 owedAt, uint256 sampledAt) external;

    /// @notice Pays the seats of a shard that agree, in round r + 5, once; anyone may call, and calling again changes
    /// nothing.
    /// @param round The round voted on.
    /// @param shard The shard.
    function close(uint64 round, uint32 shard) external;

    /// @notice What a peer has earned by openings and by tasks. Never decreases.
    /// @param peerKey The peer.
    /// @return amountWei Nectar.
    function earnedOf(bytes32 peerKey) external view returns (uint256 amountWei);

    /// @notice The draw of a shard: one of the peers that were settled with points. Ordinals are drawn until one of
    /// those peers comes up, so that another commitment or score changes only draws that would have hit it.
    /// @param round The round voted on; the beacon of round + 2 must be recorded. Valid once the shard is settled.
    /// @param shard The shard.
    /// @return ordinal The peer's ordinal among those of the round.
    /// @return place A 128-bit number. Modulo the number of scored leaves it is a place among those of the peer, in the
    /// order drawn.
    function drawnOf(uint64 round, uint32 shard) external view returns (uint32 ordinal, uint128 place);

    /// @notice What was described of an environment.
    /// @param environmentHash Hash of its specification.
    /// @return owed Leaves that a peer owes in a round.
    /// @return sampled Leaves of them that are scored; 0 if the environment was not described, or scores none.
    function sampleOf(bytes32 environmentHash) external view returns (uint16 owed, uint16 sampled);

    /// @notice Progress of a shard's openings, until the ring overwrites it.
    /// @param round The round voted on.
    /// @param shard The shard.
    /// @return opened Seats that have opened.
    /// @return closed Whether they are paid.
    function stateOf(uint64 round, uint32 shard) external view returns (uint8 opened, bool closed);

    /// @notice Nectar that the openings of a round can earn: the whole amount is minted if every seat of every shard is
    /// paid in full.
    /// @return amountWei Nectar.
    function OPENING_EMISSION_WEI() external view returns (uint256 amountWei);

    /// @notice The votes that are opened.
    /// @return votes The contract.
    function rewardVotes() external view returns (IRewardVotes votes);

    /// @notice The clock.
    /// @return clock The contract.
    function rounds() external view returns (IRounds clock);
}
