// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IStakes} from "./IStakes.sol";

/// @title IEvaluatorSeats
/// @notice Who may score in which round, and the committees that a round's beacon draws from them.
/// @dev A change of seats applies to rounds that have not begun, so that nobody can take a seat for a round whose work
/// or beacon is known. All seats are equal: one draw each, for the same stake. During bootstrap, in the first rounds, a
/// role gives seats without a stake. From a fixed round on only staked seats count, so that bootstrap ends by itself.
interface IEvaluatorSeats {
    /// @notice Emitted when an evaluator gets a seat.
    /// @param peerKey The evaluator.
    /// @param fromRound First round in which it sits.
    /// @param isStaked Whether the seat was staked for: staked seats count after bootstrap, all others during it.
    event EvaluatorAdmitted(bytes32 indexed peerKey, uint64 fromRound, bool isStaked);

    /// @notice Emitted when an evaluator loses its seat.
    /// @param peerKey The evaluator.
    /// @param fromRound First round in which it no longer sits.
    /// @param isStaked Whether the seat was staked for.
    event EvaluatorRemoved(bytes32 indexed peerKey, uint64 fromRound, bool isStaked);

    /// @notice Emitted when an evaluator that was drawn did not vote, or did not reveal.
    /// @param round The round that it was drawn for.
    /// @param evaluatorKey The evaluator.
    /// @param misses Its misses since it last revealed: 1 for silence, 3 for a commitment that was not revealed.
    event EvaluatorMissed(uint64 indexed round, bytes32 indexed evaluatorKey, uint8 misses);

    /// @notice Thrown when an evaluator that has a seat is admitted.
    /// @param peerKey The evaluator.
    error RewardVotes_AlreadySeated(bytes32 peerKey);

    /// @notice Thrown when the role gives a seat for rounds after bootstrap.
    /// @param fromRound First round that has not begun.
    /// @param bootstrapRounds First round after bootstrap.
    error RewardVotes_BootstrapOver(uint64 fromRound, uint64 bootstrapRounds);

    /// @notice Thrown when a key votes on a round, or stakes for a seat in a round, in which it does not count yet.
    /// @param round The round.
    /// @param peerKey The evaluator.
    /// @param fromRound First round that the key counts in.
    error RewardVotes_KeyTooNew(uint64 round, bytes32 peerKey, uint64 fromRound);

    /// @notice Thrown when an account other than the stakes contract gives or takes a staked seat.
    /// @param account The sender.
    error RewardVotes_NotStakes(address account);

    /// @notice Thrown when an evaluator without a seat is removed.
    /// @param evaluatorKey The evaluator.
    /// @param round The first round that has not begun.
    error RewardVotes_NotSeated(bytes32 evaluatorKey, uint64 round);

    /// @notice Thrown when a committee is drawn for a round whose beacon is not recorded.
    /// @param round The round.
    error RewardVotes_NoBeacon(uint64 round);

    /// @notice Gives a peer a seat of bootstrap, from the first round that has not begun. Role: `EVALUATOR_ADMIN_ROLE`.
    /// @param peerKey The evaluator; it need not be registered yet, but can vote only on rounds in which its key
    /// counts, and earlier absences count as misses.
    function admitEvaluator(bytes32 peerKey) external;

    /// @notice Takes a peer's seat of bootstrap away, from the first round that has not begun. Role:
    /// `EVALUATOR_ADMIN_ROLE`, which has no power over staked seats.
    /// @param peerKey The evaluator.
    function removeEvaluator(bytes32 peerKey) external;

    /// @notice Gives a seat to a peer that has staked, from the first round that has not begun. Only the stakes
    /// contract.
    /// @param peerKey The evaluator.
    function takeSeat(bytes32 peerKey) external;

    /// @notice Takes a staked seat back, from the first round that has not begun, if the peer has one. Only the stakes
    /// contract.
    /// @param peerKey The evaluator.
    function leaveSeat(bytes32 peerKey) external;

    /// @notice The evaluators that sit in a round; those of future rounds may change.
    /// @dev Valid for the last `RING` rounds before the newest change and for all later ones; reverts with
    /// `RoundHistory_Forgotten` for older ones.
    /// @param round The round.
    /// @return evaluatorKeys The evaluators, by seat.
    function seatsAt(uint64 round) external view returns (bytes32[] memory evaluatorKeys);

    /// @notice How many evaluators sit in a round; bounds as for `seatsAt`.
    /// @param round The round.
    /// @return seats Number of seats.
    function seatCountAt(uint64 round) external view returns (uint32 seats);

    /// @notice The evaluator in a seat; bounds as for `seatsAt`.
    /// @param round The round.
    /// @param seat The seat, below `seatCountAt`.
    /// @return evaluatorKey The evaluator.
    function seatAt(uint64 round, uint32 seat) external view returns (bytes32 evaluatorKey);

    /// @notice The evaluator with a given number: evaluators are numbered from 1, in the order in which they first took
    /// a seat.
    /// @param number The number.
    /// @return evaluatorKey The evaluator, or 0 if there is none.
    function evaluatorAt(uint32 number) external view returns (bytes32 evaluatorKey);

    /// @notice The committee of a shard: five distinct seats, or all if there are fewer, drawn by the
    /// beacon; bounds as for `seatsAt`.
    /// @param round The round, whose beacon must be recorded.
    /// @param shard The shard: the `SHARD_PEERS` peers from `SHARD_PEERS * shard` on, in the order in which they
    /// committed.
    /// @return evaluatorKeys The evaluators, by position.
    function committeeOf(uint64 round, uint32 shard) external view returns (bytes32[] memory evaluatorKeys);

    /// @notice An evaluator's misses since it last revealed.
    /// @param evaluatorKey The evaluator.
    /// @return misses 1 for each silence, 3 for each commitment that was not revealed; at `MAX_MISSES` its seat is
    /// taken.
    function missesOf(bytes32 evaluatorKey) external view returns (uint8 misses);

    /// @notice The contract that holds the stakes.
    /// @return stakes_ The contract.
    function stakes() external view returns (IStakes stakes_);

    /// @notice Slash for silence.
    /// @return milli Thousandths of a full stake.
    function SILENT_MILLI() external view returns (uint16 milli);

    /// @notice Slash for a commitment that is not revealed.
    /// @return milli Thousandths of a full stake.
    function SEALED_MILLI() external view returns (uint16 milli);

    /// @notice Slash for a vote that an appeal overturned.
    /// @return milli Thousandths of the full stake.
    function OVERTURNED_MILLI() external view returns (uint16 milli);

    /// @notice Misses at which a seat is taken away.
    /// @return misses 6.
    function MAX_MISSES() external view returns (uint8 misses);

    /// @notice The role that may admit and remove evaluators.
    /// @return role The role's id.
    function EVALUATOR_ADMIN_ROLE() external view returns (bytes32 role);
}
