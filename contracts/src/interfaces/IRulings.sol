// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IEarnings} from "./IEarnings.sol";

/// @title IRulings
/// @notice How `Challenges` changes outcomes. Only the challenges contract that `Stakes` was wired with may call.
/// @dev A held outcome earns nothing and delays nobody else: the round's weights include what an open appeal could add
/// until it is closed, so that the others' shares can only rise.
interface IRulings is IEarnings {
    /// @notice What an evaluator is blamed for.
    enum Fault {
        Sealed, // it committed, and did not reveal
        Overturned // its vote lay far from the median that overturned its committee's
    }

    /// @notice Thrown when the sender is not the challenges contract.
    /// @param account The sender.
    error RewardVotes_NotChallenges(address account);

    /// @notice Holds a peer's earnings of a round until a matching release.
    /// @param round The round.
    /// @param peerKey The peer.
    function hold(uint64 round, bytes32 peerKey) external;

    /// @notice Ends a hold.
    /// @param round The round.
    /// @param peerKey The peer.
    function release(uint64 round, bytes32 peerKey) external;

    /// @notice Annuls a peer's round for a false leaf, once.
    /// @param round The round.
    /// @param peerKey The peer.
    /// @return lostMilli Points that the peer loses.
    function annul(uint64 round, bytes32 peerKey) external returns (uint16 lostMilli);

    /// @notice Annuls a peer's round for a withheld leaf, unless it is annulled already, and ends a hold.
    /// @param round The round.
    /// @param peerKey The peer.
    /// @return lostMilli Points that the peer loses.
    function forfeit(uint64 round, bytes32 peerKey) external returns (uint16 lostMilli);

    /// @notice Holds a settled peer's earnings of a round, and reserves weight for the score that an appeal could give
    /// it. If it was settled as unavailable, rounds settled before the case is closed are weighed as if it had scored
    /// `votedMilli`.
    /// @param round The round.
    /// @param peerKey The peer.
    /// @param votedMilli The lower median of the committee's votes that are scores, or 0 if there are fewer than two.
    /// @return outcome What was settled, as in `outcomeOf`.
    /// @return scoreMilli The score.
    function openAppeal(
        uint64 round,
        bytes32 peerKey,
        uint16 votedMilli
    ) external returns (uint8 outcome, uint16 scoreMilli);

    /// @notice Ends that hold and releases the reserved weight. The peer's outcome and scores are updated to the final
    /// outcome, unless it has lost the round meanwhile.
    /// @param round The round.
    /// @param peerKey The peer.
    /// @param settledMilli The score that `openAppeal` gave.
    /// @param outcome The outcome that stands.
    /// @param scoreMilli The score that stands.
    /// @return isMoot Whether the peer has lost the round.
    function closeAppeal(
        uint64 round,
        bytes32 peerKey,
        uint16 settledMilli,
        uint8 outcome,
        uint16 scoreMilli
    ) external returns (bool isMoot);

    /// @notice Slashes an evaluator for its part in an appeal, and counts it as a miss if it sits.
    /// @param round The round that was appealed.
    /// @param evaluatorKey The evaluator.
    /// @param fault What it is blamed for.
    /// @param wronged Recipient of half of the slash for an overturned vote; 0 for nobody.
    function blame(uint64 round, bytes32 evaluatorKey, Fault fault, address wronged) external;
}
