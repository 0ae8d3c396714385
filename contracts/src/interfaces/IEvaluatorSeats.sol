// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IStakes} from "./IStakes.sol";

/// @title IEvaluatorSeats
/// @notice Who may score in which round, and the committees that a round's beacon draws from them.
/// @dev A change of seats binds rounds that have not begun, so that nobody can take a seat for a round whose work or
/// whose beacon is known. Seats are equal: one draw each, for the same stake. Bootstrap: those of the first rounds are
/// given by a role, without a stake; from a fixed round on only they count that were staked for, so that it ends by
/// itself.
interface IEvaluatorSeats {
    /// @notice Emitted when an evaluator gets a seat.
    /// @param peerKey The evaluator.
    /// @param fromRound First round in which it sits.
    /// @param isStaked Whether it staked for it: such a seat is of rounds after bootstrap, any other of those within.
    event EvaluatorAdmitted(bytes32 indexed peerKey, uint64 fromRound, bool isStaked);

    /// @notice Emitted when an evaluator loses its seat.
    /// @param peerKey The evaluator.
    /// @param fromRound First round in which it sits no longer.
    /// @param isStaked Whether the seat was staked for.
    event EvaluatorRemoved(bytes32 indexed peerKey, uint64 fromRound, bool isStaked);

    /// @notice Emitted when an evaluator that was drawn did not vote, or did not reveal.
    /// @param round The round that it was drawn for.
    /// @param evaluatorKey The evaluator.
    /// @param misses What it has missed since it last revealed: 1 for silence, 3 for a commitment that stayed sealed.
    event EvaluatorMissed(uint64 indexed round, bytes32 indexed evaluatorKey, uint8 misses);

    /// @notice Thrown when an evaluator is admitted that has a seat.
    /// @param peerKey The evaluator.
    error RewardVotes_AlreadySeated(bytes32 peerKey);

    /// @notice Thrown when a seat is given by the role for rounds whose seats are staked for.
    /// @param fromRound First round that has not begun.
    /// @param bootstrapRounds First round after bootstrap.
    error RewardVotes_BootstrapOver(uint64 fromRound, uint64 bootstrapRounds);

    /// @notice Thrown when a key votes on a round, or stakes for a seat in one, that it does not count in yet.
    /// @param round The round.
    /// @param peerKey The evaluator.
    /// @param fromRound First round that the key counts in.
    error RewardVotes_KeyTooNew(uint64 round, bytes32 peerKey, uint64 fromRound);

    /// @notice Thrown when a staked seat is given or taken by another account than the contract of stakes.
    /// @param account The sender.
    error RewardVotes_NotStakes(address account);

    /// @notice Thrown when an evaluator without a seat is removed.
    /// @param evaluatorKey The evaluator.
    /// @param round The first round that has not begun.
    error RewardVotes_NotSeated(bytes32 evaluatorKey, uint64 round);

    /// @notice Thrown when a committee is drawn of a round whose beacon is not recorded.
    /// @param round The round.
    error RewardVotes_NoBeacon(uint64 round);

    /// @notice Gives a peer a seat of bootstrap, from the first round that has not begun. Role: `EVALUATOR_ADMIN_ROLE`.
    /// @param peerKey The evaluator; it need not be registered yet, but votes only on rounds that
    /// its key counts in: absences before are held against it.
    function admitEvaluator(bytes32 peerKey) external;

    /// @notice Takes a peer's seat of bootstrap away, from the first round that has not begun. Role:
    /// `EVALUATOR_ADMIN_ROLE`, which has no power over staked seats.
    /// @param peerKey The evaluator.
    function removeEvaluator(bytes32 peerKey) external;

    /// @notice Gives a peer that has staked a seat, from the first round that has not begun; for the contract of
    /// stakes.
    /// @param peerKey The evaluator.
    function takeSeat(bytes32 peerKey) external;

    /// @notice Takes a staked seat back, from the first round that has not begun, if the peer has one; for the contract
    /// of stakes.
    /// @param peerKey The evaluator.
    function leaveSeat(bytes32 peerKey) external;

    /// @notice The evaluators that sit in a round; those of rounds to come may change.
    /// @dev Right for the last `RING` rounds before the newest change and for all later ones; for an older one it
    /// reverts with `RoundHistory_Forgotten`.
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

    /// @notice The evaluator with a number: they are counted from 1 as they first take a seat.
    /// @param number The number.
    /// @return evaluatorKey The evaluator, 0 where there is none.
    function evaluatorAt(uint32 number) external view returns (bytes32 evaluatorKey);

    /// @notice The committee of a shard: `COMMITTEE_SEATS` distinct seats, or all where there are fewer, drawn by the
    /// beacon; bounds as for `seatsAt`.
    /// @param round The round, whose beacon must be recorded.
    /// @param shard The shard: peers `SHARD_PEERS * shard` on, in the order in which they committed.
    /// @return evaluatorKeys The evaluators, by position.
    function committeeOf(uint64 round, uint32 shard) external view returns (bytes32[] memory evaluatorKeys);

    /// @notice What an evaluator has missed since it last revealed.
    /// @param evaluatorKey The evaluator.
    /// @return misses 1 for each silence, 3 for each commitment that stayed sealed; at `MAX_MISSES` its seat is taken.
    function missesOf(bytes32 evaluatorKey) external view returns (uint8 misses);

    /// @notice First round whose seats are those that were staked for.
    /// @return round The round.
    function bootstrapRounds() external view returns (uint64 round);

    /// @notice The contract that holds the stakes.
    /// @return stakes_ The contract.
    function stakes() external view returns (IStakes stakes_);

    /// @notice What silence costs.
    /// @return milli Thousandths of a full stake.
    function SILENT_MILLI() external view returns (uint16 milli);

    /// @notice What a commitment that stays sealed costs.
    /// @return milli Thousandths of a full stake.
    function SEALED_MILLI() external view returns (uint16 milli);

    /// @notice What a vote costs that an appeal overturned.
    /// @return milli Thousandths of the full stake.
    function OVERTURNED_MILLI() external view returns (uint16 milli);

    /// @notice Most seats of a committee.
    /// @return seats 5.
    function COMMITTEE_SEATS() external view returns (uint256 seats);

    /// @notice Misses at which a seat is taken away.
    /// @return misses 6.
    function MAX_MISSES() external view returns (uint8 misses);

    /// @notice The role that may admit and remove evaluators.
    /// @return role The role's id.
    function EVALUATOR_ADMIN_ROLE() external view returns (bytes32 role);
}
