// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IPeerRegistry} from "./IPeerRegistry.sol";
import {IRolloutCommitments} from "./IRolloutCommitments.sol";
import {IRounds} from "./IRounds.sol";

/// @title IRewardVotes
/// @notice Evaluators commit to scores in round r + 1, reveal them in r + 2, and anyone settles the median in r + 3.
/// @dev First version of the protocol: every seat sits, seats are admitted by a role and stake nothing.
interface IRewardVotes {
    /// @notice Emitted when an evaluator gets a seat.
    /// @param peerKey The evaluator.
    /// @param fromRound First round in which it sits.
    event EvaluatorAdmitted(bytes32 indexed peerKey, uint64 fromRound);

    /// @notice Emitted when an evaluator loses its seat.
    /// @param peerKey The evaluator.
    /// @param fromRound First round in which it sits no longer.
    event EvaluatorRemoved(bytes32 indexed peerKey, uint64 fromRound);

    /// @notice Emitted when an evaluator commits to its votes on a round.
    /// @param round The round voted on.
    /// @param evaluatorKey The evaluator.
    /// @param commitment Hash of the votes; see `commitVotes`.
    event VotesCommitted(uint64 indexed round, bytes32 indexed evaluatorKey, bytes32 commitment);

    /// @notice Emitted when an evaluator reveals its votes on a round.
    /// @param round The round voted on.
    /// @param evaluatorKey The evaluator.
    /// @param peerKeys The peers scored.
    /// @param scoresMilli A score for each: 0 to 1000, or 65535 for unavailable.
    /// @param componentRoots For each, the Merkle root of the components of its leaves' scores.
    /// @param contentId sha-256 of the sheet that holds those components.
    event VotesRevealed(
        uint64 indexed round,
        bytes32 indexed evaluatorKey,
        bytes32[] peerKeys,
        uint16[] scoresMilli,
        bytes32[] componentRoots,
        bytes32 contentId
    );

    /// @notice Emitted once for each peer and round that is settled.
    /// @param round The round.
    /// @param peerKey The peer.
    /// @param scoreMilli Points given, 0 to 1000.
    /// @param votes Votes cast on it, those of `unavailable` included.
    /// @param outcome 1 scored, 2 unavailable, 3 no quorum.
    event Settled(uint64 indexed round, bytes32 indexed peerKey, uint16 scoreMilli, uint8 votes, uint8 outcome);

    /// @notice Thrown when an evaluator is admitted that has a seat.
    /// @param peerKey The evaluator.
    error RewardVotes_AlreadySeated(bytes32 peerKey);

    /// @notice Thrown when an evaluator without a seat is removed, or votes on a round in which it does not sit.
    /// @param evaluatorKey The evaluator.
    /// @param round The round.
    error RewardVotes_NotSeated(bytes32 evaluatorKey, uint64 round);

    /// @notice Thrown when no seat is left.
    /// @param seats Number of seats there are.
    error RewardVotes_NoSeatLeft(uint256 seats);

    /// @notice Thrown when the sender does not speak for the evaluator.
    /// @param evaluatorKey The evaluator.
    /// @param account The sender.
    error RewardVotes_NotPeerAccount(bytes32 evaluatorKey, address account);

    /// @notice Thrown when a step comes in another round than its own.
    /// @param round The round voted on.
    /// @param dueRound The round in which this step is taken.
    /// @param currentRound The current round.
    error RewardVotes_WrongRound(uint64 round, uint64 dueRound, uint64 currentRound);

    /// @notice Thrown when an evaluator commits twice to a round.
    /// @param round The round voted on.
    /// @param evaluatorKey The evaluator.
    error RewardVotes_AlreadyCommitted(uint64 round, bytes32 evaluatorKey);

    /// @notice Thrown when an evaluator reveals twice.
    /// @param round The round voted on.
    /// @param evaluatorKey The evaluator.
    error RewardVotes_AlreadyRevealed(uint64 round, bytes32 evaluatorKey);

    /// @notice Thrown when the arrays of a reveal differ in length.
    /// @param peerKeys Length of `peerKeys`.
    /// @param scoresMilli Length of `scoresMilli`.
    /// @param componentRoots Length of `componentRoots`.
    error RewardVotes_LengthMismatch(uint256 peerKeys, uint256 scoresMilli, uint256 componentRoots);

    /// @notice Thrown when a reveal is not what was committed to, or nothing was.
    /// @param round The round voted on.
    /// @param evaluatorKey The evaluator.
    /// @param commitment Hash of what was revealed.
    error RewardVotes_NotCommitment(uint64 round, bytes32 evaluatorKey, bytes32 commitment);

    /// @notice Thrown when a score is neither 0 to 1000 nor `UNAVAILABLE`.
    /// @param peerKey The peer scored.
    /// @param scoreMilli The score.
    error RewardVotes_ScoreOutOfRange(bytes32 peerKey, uint16 scoreMilli);

    /// @notice Thrown when a peer occurs twice in a reveal.
    /// @param peerKey The peer.
    error RewardVotes_DuplicatePeer(bytes32 peerKey);

    /// @notice Thrown when an evaluator scores a peer of its own account.
    /// @param peerKey The peer.
    /// @param account The account of both.
    error RewardVotes_OwnPeer(bytes32 peerKey, address account);

    /// @notice Thrown when a peer is scored or settled that committed nothing in the round.
    /// @param round The round.
    /// @param peerKey The peer.
    error RewardVotes_NoCommitment(uint64 round, bytes32 peerKey);

    /// @notice Gives a peer a seat, from the first round that has not begun. Role: `EVALUATOR_ADMIN_ROLE`.
    /// @param peerKey The evaluator; it need not be registered yet, but votes only once it is.
    function admitEvaluator(bytes32 peerKey) external;

    /// @notice Takes a peer's seat away, from the first round that has not begun. Role: `EVALUATOR_ADMIN_ROLE`.
    /// @param peerKey The evaluator.
    function removeEvaluator(bytes32 peerKey) external;

    /// @notice Commits to votes on a round, in the round after it. It cannot be changed after that.
    /// @dev `commitment` = `keccak256(abi.encode(chainId, address(this), round, evaluatorKey, peerKeys, scoresMilli,
    /// componentRoots, contentId, salt))`: `uint256, address, uint64, bytes32, bytes32[], uint16[], bytes32[], bytes32,
    /// bytes32`. The salt must be secret until the reveal, since scores are few enough to be guessed.
    /// @param round The round voted on.
    /// @param evaluatorKey The evaluator; the sender must speak for it.
    /// @param commitment The hash.
    function commitVotes(uint64 round, bytes32 evaluatorKey, bytes32 commitment) external;

    /// @notice Reveals the votes committed to, two rounds after the round voted on; all or nothing.
    /// @dev A vote is for a peer with a commitment in the round, of another account. Leaving a peer out is casting no
    /// vote.
    /// @param round The round voted on.
    /// @param evaluatorKey The evaluator; the sender must speak for it.
    /// @param peerKeys The peers scored, each once.
    /// @param scoresMilli A score for each: 0 to 1000, or `UNAVAILABLE`.
    /// @param componentRoots For each, the Merkle root of the components of its leaves' scores.
    /// @param contentId sha-256 of the sheet that holds those components.
    /// @param salt The salt of the commitment.
    function revealVotes(
        uint64 round,
        bytes32 evaluatorKey,
        bytes32[] calldata peerKeys,
        uint16[] calldata scoresMilli,
        bytes32[] calldata componentRoots,
        bytes32 contentId,
        bytes32 salt
    ) external;

    /// @notice Settles peers of a round, three rounds after it, in pages of any size; anyone may call.
    /// @dev Quorum is more than half of the round's seats and at least 2 votes. With quorum: more than half of the
    /// votes `UNAVAILABLE` scores 0, else the score is the lower median of the others. Without: no points, and no
    /// blame. A peer that is settled already is passed over, so that two who settle at once do not hurt each other.
    /// @param round The round.
    /// @param peerKeys The peers; each must have committed in the round.
    function settle(uint64 round, bytes32[] calldata peerKeys) external;

    /// @notice The sum of a peer's settled scores, those of rounds not yet final included.
    /// @param peerKey The peer.
    /// @return total Points, in thousandths of a full score.
    function points(bytes32 peerKey) external view returns (uint256 total);

    /// @notice How a peer's round was settled; bounds as for `IRolloutCommitments.committed`.
    /// @param round The round.
    /// @param peerKey The peer.
    /// @return outcome 0 not settled, 1 scored, 2 unavailable, 3 no quorum.
    /// @return scoreMilli Points given, 0 to 1000.
    function outcomeOf(uint64 round, bytes32 peerKey) external view returns (uint8 outcome, uint16 scoreMilli);

    /// @notice The evaluators that sit in a round, for any round; those of rounds to come may change.
    /// @param round The round.
    /// @return evaluatorKeys The evaluators, by seat.
    function seatsAt(uint64 round) external view returns (bytes32[] memory evaluatorKeys);

    /// @notice Whether an evaluator has committed to votes on a round; bounds as for `outcomeOf`.
    /// @param round The round voted on.
    /// @param evaluatorKey The evaluator.
    /// @return made Whether it has.
    function votesCommitted(uint64 round, bytes32 evaluatorKey) external view returns (bool made);

    /// @notice Whether an evaluator has revealed its votes on a round; bounds as for `outcomeOf`.
    /// @param round The round voted on.
    /// @param evaluatorKey The evaluator.
    /// @return made Whether it has.
    function votesRevealed(uint64 round, bytes32 evaluatorKey) external view returns (bool made);

    /// @notice The score that says that a peer's bundle could not be had.
    /// @return score 65535.
    function UNAVAILABLE() external view returns (uint16 score);

    /// @notice Most seats in a round.
    /// @return seats 14: a vote takes 16 bits of one word, beside the round and the outcome.
    function MAX_SEATS() external view returns (uint256 seats);

    /// @notice The role that may admit and remove evaluators.
    /// @return role The role's id.
    function EVALUATOR_ADMIN_ROLE() external view returns (bytes32 role);

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
