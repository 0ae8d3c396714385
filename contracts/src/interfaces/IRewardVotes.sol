// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IEvaluatorSeats} from "./IEvaluatorSeats.sol";
import {IPeerRegistry} from "./IPeerRegistry.sol";
import {IRolloutCommitments} from "./IRolloutCommitments.sol";
import {IRounds} from "./IRounds.sol";
import {IRulings} from "./IRulings.sol";

/// @title IRewardVotes
/// @notice Evaluators commit to scores in round r + 1, reveal them in r + 2, and anyone settles the median in r + 3.
/// @dev A round's peers are split into shards of up to 32, in the order in which they committed. The round's beacon
/// draws a committee for each shard. An evaluator votes on a whole shard at once: one score per peer, in that order.
interface IRewardVotes is IEvaluatorSeats, IRulings {
    /// @notice One evaluator's votes on a shard.
    /// @param round The round voted on.
    /// @param shard The shard.
    /// @param position The evaluator's position on the shard's committee.
    /// @param evaluatorKey The evaluator.
    /// @param scoresMilli A score for each peer of the shard, by ordinal: 0 to 1000, or 65535 for unavailable.
    /// @param componentRoots For each, the root of the tree with a place for each leaf's score, as in `IOpenings`.
    /// @param contentId sha-256 of the score sheet that holds those components.
    struct Ballot {
        uint64 round;
        uint32 shard;
        uint8 position;
        bytes32 evaluatorKey;
        uint16[] scoresMilli;
        bytes32[] componentRoots;
        bytes32 contentId;
    }

    /// @notice Emitted when an evaluator commits to its votes on a shard.
    /// @param round The round voted on.
    /// @param evaluatorKey The evaluator.
    /// @param shard The shard.
    /// @param commitment Hash of the votes; see `commitVotes`.
    event VotesCommitted(uint64 indexed round, bytes32 indexed evaluatorKey, uint32 shard, bytes32 commitment);

    /// @notice Emitted when an evaluator reveals its votes on a shard.
    /// @param round The round voted on.
    /// @param evaluatorKey The evaluator.
    /// @param shard The shard.
    /// @param scoresMilli A score for each peer of the shard, by ordinal: 0 to 1000, or 65535 for unavailable.
    /// @param componentRoots For each, the root of the tree with a place for each leaf's score, as in `IOpenings`.
    /// @param contentId sha-256 of the score sheet that holds those components.
    event VotesRevealed(
        uint64 indexed round,
        bytes32 indexed evaluatorKey,
        uint32 shard,
        uint16[] scoresMilli,
        bytes32[] componentRoots,
        bytes32 contentId
    );

    /// @notice Emitted once for each settled peer and round.
    /// @param round The round.
    /// @param peerKey The peer.
    /// @param scoreMilli Points given, 0 to 1000.
    /// @param votes Votes that counted, those of `unavailable` included.
    /// @param outcome 1 scored, 2 unavailable, 3 no quorum, 4 the round is void.
    event Settled(uint64 indexed round, bytes32 indexed peerKey, uint16 scoreMilli, uint8 votes, uint8 outcome);

    /// @notice Thrown when the sender does not speak for the evaluator.
    /// @param evaluatorKey The evaluator.
    /// @param account The sender.
    error RewardVotes_NotPeerAccount(bytes32 evaluatorKey, address account);

    /// @notice Thrown when a step is taken in the wrong round.
    /// @param round The round voted on.
    /// @param dueRound The round of this step.
    /// @param currentRound The current round.
    error RewardVotes_WrongRound(uint64 round, uint256 dueRound, uint64 currentRound);

    /// @notice Thrown when a vote is on a round whose seeds had no beacon.
    /// @param round The round.
    error RewardVotes_RoundVoid(uint64 round);

    /// @notice Thrown when an evaluator votes on an empty shard, was not drawn for it, or names a wrong position.
    /// @param round The round voted on.
    /// @param shard The shard.
    /// @param position The position named.
    /// @param evaluatorKey The evaluator.
    error RewardVotes_NotOnCommittee(uint64 round, uint32 shard, uint8 position, bytes32 evaluatorKey);

    /// @notice Thrown when a ballot's position is out of range.
    /// @param position The position named.
    /// @param positions Number of positions.
    error RewardVotes_NoPosition(uint8 position, uint256 positions);

    /// @notice Thrown when an evaluator commits twice to a shard.
    /// @param round The round voted on.
    /// @param shard The shard.
    /// @param position Its position.
    error RewardVotes_AlreadyCommitted(uint64 round, uint32 shard, uint8 position);

    /// @notice Thrown when an evaluator reveals twice.
    /// @param round The round voted on.
    /// @param evaluatorKey The evaluator.
    error RewardVotes_AlreadyRevealed(uint64 round, bytes32 evaluatorKey);

    /// @notice Thrown when a ballot does not have one score and one root for each peer of its shard.
    /// @param peers Peers of the shard.
    /// @param scoresMilli Length of `scoresMilli`.
    /// @param componentRoots Length of `componentRoots`.
    error RewardVotes_LengthMismatch(uint256 peers, uint256 scoresMilli, uint256 componentRoots);

    /// @notice Thrown when a reveal does not match a commitment.
    /// @param round The round voted on.
    /// @param evaluatorKey The evaluator.
    /// @param commitment Hash of what was revealed.
    error RewardVotes_NotCommitment(uint64 round, bytes32 evaluatorKey, bytes32 commitment);

    /// @notice Thrown when a score is neither 0 to 1000 nor 65535, for an unavailable bundle.
    /// @param place The peer's place in the shard.
    /// @param scoreMilli The score.
    error RewardVotes_ScoreOutOfRange(uint256 place, uint16 scoreMilli);

    /// @notice Thrown when a peer is settled with the wrong shard.
    /// @param round The round.
    /// @param peerKey The peer.
    /// @param shard The shard named.
    error RewardVotes_NotInShard(uint64 round, bytes32 peerKey, uint32 shard);

    /// @notice Thrown when a round is settled in the last quarter of its settlement round.
    /// @param round The round voted on.
    /// @param closedFromSec Start of that quarter, Unix time, seconds.
    error RewardVotes_SettlementClosed(uint64 round, uint256 closedFromSec);

    /// @notice Commits to votes on a shard, in the round after it. They cannot be changed after that.
    /// @dev `commitment` = `keccak256(abi.encode(chainId, address(this), ballot, salt))`: `uint256, address, Ballot,
    /// bytes32`. Keep the salt secret until the reveal: there are few enough scores to guess them. The first to
    /// vote on a shard draws its committee, and records the round's beacon if nobody has.
    /// @param round The round voted on.
    /// @param shard The shard.
    /// @param position The evaluator's position on the shard's committee.
    /// @param evaluatorKey The evaluator; the sender must speak for it.
    /// @param commitment The hash.
    function commitVotes(uint64 round, uint32 shard, uint8 position, bytes32 evaluatorKey, bytes32 commitment) external;

    /// @notice Reveals the votes committed to, two rounds after the round voted on; all or nothing.
    /// @dev Anyone who knows the salt may send it: the commitment has fixed the votes. A ballot must include a vote on
    /// peers of the evaluator's own account, but that vote does not count.
    /// @param ballot The votes.
    /// @param salt The salt of the commitment.
    function revealVotes(Ballot calldata ballot, bytes32 salt) external;

    /// @notice Settles peers of a shard, three rounds after its round, in pages of any size; anyone may call.
    /// @dev Only in the first three quarters of that round, since appeals are possible until the round's end. A quorum
    /// is more than half of the committee and at least 2 votes; votes by the peer's own account do not count. With a
    /// quorum, the score is 0 if more than half of the votes are of unavailable, else the lower median of the others.
    /// Without one: no points, no penalty. In a void round: no points, no penalty for anyone. Settled peers are
    /// skipped, so that concurrent calls do not conflict. The first page of a shard records the committee's absences,
    /// unless the round was an outage: see `isOutage`.
    /// @param round The round.
    /// @param shard The shard.
    /// @param peerKeys Peers of that shard.
    function settle(uint64 round, uint32 shard, bytes32[] calldata peerKeys) external;

    /// @notice Whether most of a round's shards, or all, had no quorum of reveals: then the chain assumes that it or
    /// the network was unreachable, and nobody is slashed for absence. Valid once the round after the reveals has
    /// begun.
    /// @param round The round.
    /// @return outage Whether it was one.
    function isOutage(uint64 round) external view returns (bool outage);

    /// @notice The stored word of the ballot at a position, see `Ballots`; a word of an older round has another tag.
    /// @param round The round voted on.
    /// @param shard The shard.
    /// @param position The position, 0 to 4.
    /// @return word The word.
    function ballotWord(uint64 round, uint32 shard, uint8 position) external view returns (uint256 word);

    /// @notice The stored word of the scores in the ballot at a position, see `Tally`; valid if the ballot is revealed.
    /// @param round The round voted on.
    /// @param shard The shard.
    /// @param position The position, 0 to 4.
    /// @param isLast Whether to return the word of the shard's last 16 peers instead of the first.
    /// @return word The word.
    function scoresWord(uint64 round, uint32 shard, uint8 position, bool isLast) external view returns (uint256 word);

    /// @notice The stored word of a shard's committee, see `CommitteeWords`: its members, and which peers were settled
    /// with points, before any challenge or appeal.
    /// @param round The round.
    /// @param shard The shard.
    /// @return word The word, or 0 if no committee of that round is stored.
    function committeeWord(uint64 round, uint32 shard) external view returns (uint256 word);

    /// @notice The registry that says who speaks for a peer.
    /// @return registry The contract.
    function peerRegistry() external view returns (IPeerRegistry registry);

    /// @notice The clock.
    /// @return clock The contract.
    function rounds() external view returns (IRounds clock);

    /// @notice The commitments that are voted on.
    /// @return commitments The contract.
    function rolloutCommitments() external view returns (IRolloutCommitments commitments);
}
