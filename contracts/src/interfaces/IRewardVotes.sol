// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IEvaluatorSeats} from "./IEvaluatorSeats.sol";
import {IPeerRegistry} from "./IPeerRegistry.sol";
import {IRolloutCommitments} from "./IRolloutCommitments.sol";
import {IRounds} from "./IRounds.sol";
import {IRulings} from "./IRulings.sol";

/// @title IRewardVotes
/// @notice Evaluators commit to scores in round r + 1, reveal them in r + 2, and anyone settles the median in r + 3.
/// @dev A round's peers are cut into shards of up to 32 in the order in which they committed. For each shard the
/// round's beacon draws a committee. An evaluator votes on a shard at once: one score a peer, in that order.
interface IRewardVotes is IEvaluatorSeats, IRulings {
    /// @notice One evaluator's votes on a shard.
    /// @param round The round voted on.
    /// @param shard The shard.
    /// @param position The evaluator's position on the shard's committee.
    /// @param evaluatorKey The evaluator.
    /// @param scoresMilli A score for each peer of the shard, by ordinal: 0 to 1000, or 65535 for unavailable.
    /// @param componentRoots For each, the Merkle root of the components of its leaves' scores.
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
    /// @param componentRoots For each, the Merkle root of the components of its leaves' scores.
    /// @param contentId sha-256 of the score sheet that holds those components.
    event VotesRevealed(
        uint64 indexed round,
        bytes32 indexed evaluatorKey,
        uint32 shard,
        uint16[] scoresMilli,
        bytes32[] componentRoots,
        bytes32 contentId
    );

    /// @notice Emitted once for each peer and round that is settled.
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

    /// @notice Thrown when a step comes in another round than its own.
    /// @param round The round voted on.
    /// @param dueRound The round in which this step is taken.
    /// @param currentRound The current round.
    error RewardVotes_WrongRound(uint64 round, uint256 dueRound, uint64 currentRound);

    /// @notice Thrown when a round is voted on whose seeds came from no beacon.
    /// @param round The round.
    error RewardVotes_RoundVoid(uint64 round);

    /// @notice Thrown when an evaluator votes on a shard without peers, or that it was not drawn for, or names a wrong
    /// position.
    /// @param round The round voted on.
    /// @param shard The shard.
    /// @param position The position named.
    /// @param evaluatorKey The evaluator.
    error RewardVotes_NotOnCommittee(uint64 round, uint32 shard, uint8 position, bytes32 evaluatorKey);

    /// @notice Thrown when the ballot at a position is asked for that no committee has.
    /// @param position The position named.
    /// @param positions How many there are: the last is one below.
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

    /// @notice Thrown when a ballot has not one score and one root for each peer of its shard.
    /// @param peers Peers of the shard.
    /// @param scoresMilli Length of `scoresMilli`.
    /// @param componentRoots Length of `componentRoots`.
    error RewardVotes_LengthMismatch(uint256 peers, uint256 scoresMilli, uint256 componentRoots);

    /// @notice Thrown when a reveal is not what was committed to, or nothing was.
    /// @param round The round voted on.
    /// @param evaluatorKey The evaluator.
    /// @param commitment Hash of what was revealed.
    error RewardVotes_NotCommitment(uint64 round, bytes32 evaluatorKey, bytes32 commitment);

    /// @notice Thrown when a score is neither 0 to 1000 nor `UNAVAILABLE`.
    /// @param place The peer's place in the shard.
    /// @param scoreMilli The score.
    error RewardVotes_ScoreOutOfRange(uint256 place, uint16 scoreMilli);

    /// @notice Thrown when a peer is settled with a shard that it is not in.
    /// @param round The round.
    /// @param peerKey The peer.
    /// @param shard The shard named.
    error RewardVotes_NotInShard(uint64 round, bytes32 peerKey, uint32 shard);

    /// @notice Thrown when a round is settled in the last quarter of its settlement round.
    /// @param round The round voted on.
    /// @param closedFromSec Begin of that quarter, Unix time, seconds.
    error RewardVotes_SettlementClosed(uint64 round, uint256 closedFromSec);

    /// @notice Commits to votes on a shard, in the round after it. They cannot be changed after that.
    /// @dev `commitment` = `keccak256(abi.encode(chainId, address(this), ballot, salt))`: `uint256, address, Ballot,
    /// bytes32`. The salt must be secret until the reveal, since scores are few enough to be guessed. The first to
    /// vote on a shard draws its committee, and records the round's beacon if nobody has.
    /// @param round The round voted on.
    /// @param shard The shard.
    /// @param position The evaluator's position on the shard's committee.
    /// @param evaluatorKey The evaluator; the sender must speak for it.
    /// @param commitment The hash.
    function commitVotes(uint64 round, uint32 shard, uint8 position, bytes32 evaluatorKey, bytes32 commitment) external;

    /// @notice Reveals the votes committed to, two rounds after the round voted on; all or nothing.
    /// @dev Anyone who knows the salt may send it: what counts was fixed by the commitment. A vote on a peer of the
    /// evaluator's own account must be there like any other, and does not count.
    /// @param ballot The votes.
    /// @param salt The salt of the commitment.
    function revealVotes(Ballot calldata ballot, bytes32 salt) external;

    /// @notice Settles peers of a shard, three rounds after its round, in pages of any size; anyone may call.
    /// @dev Only in the first three quarters of that round: what is settled can be appealed to the round's end. Quorum
    /// is more than half of the committee and at least 2 votes; a vote of the peer's own account is none. With quorum:
    /// more than half of the votes `UNAVAILABLE` scores 0, else the score is the lower median of the others. Without:
    /// no points, and no blame. In a void round: no points, and no blame for anyone. A peer that is settled already is
    /// passed over, so that two who settle at once do not hurt each other. The first page of a shard judges the
    /// committee's absences, unless the round was an outage: see `isOutage`.
    /// @param round The round.
    /// @param shard The shard.
    /// @param peerKeys Peers of that shard.
    function settle(uint64 round, uint32 shard, bytes32[] calldata peerKeys) external;

    /// @notice Whether of most of a round's shards no quorum revealed, or of none one did: then the chain or the
    /// network was out of reach, as far as the chain can tell, and nobody is blamed for an absence. Right once the
    /// round after the reveals has begun.
    /// @param round The round.
    /// @return outage Whether it was one.
    function isOutage(uint64 round) external view returns (bool outage);

    /// @notice The word that is kept of the ballot at a position, as `Ballots` has it; what is left of an older round
    /// has another tag.
    /// @param round The round voted on.
    /// @param shard The shard.
    /// @param position The position, 0 to 4.
    /// @return word The word.
    function ballotWord(uint64 round, uint32 shard, uint8 position) external view returns (uint256 word);

    /// @notice The word that is kept of the scores in the ballot at a position, as `Tally` has them: good where the
    /// ballot is revealed.
    /// @param round The round voted on.
    /// @param shard The shard.
    /// @param position The position, 0 to 4.
    /// @param isLast Whether it is the word of the last 16 peers of the shard, not of the first.
    /// @return word The word.
    function scoresWord(uint64 round, uint32 shard, uint8 position, bool isLast) external view returns (uint256 word);

    /// @notice The word that is kept of a shard's committee, as `CommitteeWords` has it: who sits, and which peers were
    /// settled with points, before any challenge or appeal.
    /// @param round The round.
    /// @param shard The shard.
    /// @return word The word, or 0 where no committee of that round is known.
    function committeeWord(uint64 round, uint32 shard) external view returns (uint256 word);

    /// @notice The score that says that a peer's bundle could not be had.
    /// @return score 65535.
    function UNAVAILABLE() external view returns (uint16 score);

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
