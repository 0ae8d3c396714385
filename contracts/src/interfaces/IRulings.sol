// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IEarnings} from "./IEarnings.sol";

/// @title IRulings
/// @notice What `Challenges` does to outcomes, and nobody else: the contract that `Stakes` was wired with.
/// @dev A word that is held earns nothing and delays nobody else: what an open appeal could add to the peer's score is
/// in the round's weights until it is closed, so that the others' shares can only rise.
interface IRulings is IEarnings {
    /// @notice What an evaluator is blamed for.
    enum Fault {
        Silent, // it was drawn, and said nothing
        Sealed, // it committed, and did not reveal
        Overturned // its vote lay far from the median that overturned its committee's
    }

    /// @notice Thrown when another account rules than the contract of challenges.
    /// @param account The sender.
    error RewardVotes_NotChallenges(address account);

    /// @notice Holds what a peer earns in a round, until as many releases.
    /// @param round The round.
    /// @param peerKey The peer.
    function hold(uint64 round, bytes32 peerKey) external;

    /// @notice Ends a hold.
    /// @param round The round.
    /// @param peerKey The peer.
    function release(uint64 round, bytes32 peerKey) external;

    /// @notice Takes a peer's round away for a false leaf, once.
    /// @param round The round.
    /// @param peerKey The peer.
    /// @return lostMilli Points that the peer had been given for the round, and loses.
    function annul(uint64 round, bytes32 peerKey) external returns (uint16 lostMilli);

    /// @notice Takes a peer's round away for a leaf that it withheld, unless it is lost already, and ends a hold.
    /// @param round The round.
    /// @param peerKey The peer.
    /// @return lostMilli Points that the peer had been given for the round, and loses.
    function forfeit(uint64 round, bytes32 peerKey) external returns (uint16 lostMilli);

    /// @notice Holds what a settled peer earns in a round, and reserves weight in the round for the score that
    /// an appeal could give it. Where it was called unavailable, rounds that are settled before the case is closed are
    /// weighed as if it had scored what its committee's votes had it.
    /// @param round The round.
    /// @param peerKey The peer.
    /// @param votedMilli The lower median of the committee's votes that are scores, or 0 where fewer than two are.
    /// @return outcome What was settled, as in `outcomeOf`.
    /// @return scoreMilli The score.
    function openAppeal(
        uint64 round,
        bytes32 peerKey,
        uint16 votedMilli
    ) external returns (uint8 outcome, uint16 scoreMilli);

    /// @notice Ends that hold and releases the reserved weight. The peer gets the outcome that stands, also in its
    /// scores, unless it has lost the round meanwhile.
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
    /// @param wronged For a vote that was overturned, who gets half of what it costs; 0 for nobody.
    function blame(uint64 round, bytes32 evaluatorKey, Fault fault, address wronged) external;
}
