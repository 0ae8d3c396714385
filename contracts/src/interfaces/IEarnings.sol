// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title IEarnings
/// @notice Outcomes and points of peers, and the Nectar earned by them.
interface IEarnings {
    /// @notice Emitted when the first page of a round is settled; by every page in an outage before which no round had
    /// any weight.
    /// @param round The round.
    /// @param number Its number among counted rounds, from 1; 0 for an outage, which does not count.
    /// @param meanWeight The mean weight of the counted rounds before it, see `totalsOf`.
    event RoundCounted(uint64 indexed round, uint24 number, uint40 meanWeight);

    /// @notice Thrown when an outcome was already annulled.
    /// @param round The round.
    /// @param peerKey The peer.
    error RewardVotes_AlreadyAnnulled(uint64 round, bytes32 peerKey);

    /// @notice The sum of a peer's settled scores, including rounds that are not final yet.
    /// @param peerKey The peer.
    /// @return total Points, in thousandths of a full score.
    function points(bytes32 peerKey) external view returns (uint256 total);

    /// @notice What a peer has earned by scores in final rounds: for each round, its emission times the weight of the
    /// peer's score divided by the weight of all scores. Open appeals count with the most that they could add. A round
    /// in which a challenge against the peer is open earns nothing yet. Rounded down. The amount never decreases and
    /// includes every round from the moment it is final. If the mean weight of the counted rounds before is larger than
    /// the weight of all scores, it is the divisor instead: driving peers away gains the others nothing, and the rest
    /// is not minted.
    /// @dev A score weighs `min(32 s, 5 (before + s))`, `before` being the sum of the peer's scores in the seven
    /// counted rounds before, as of settlement. A round counts if it was settled and was not an outage; one without a
    /// score adds 0.
    /// @param peerKey The peer.
    /// @return amountWei Nectar.
    function earnedOf(bytes32 peerKey) external view returns (uint256 amountWei);

    /// @notice Totals of a settled round, its weight, and the mean weight that it is compared with: a round that weighs
    /// less than the mean emits proportionally less.
    /// @dev The mean is over all counted rounds before, up to 32; after that each new round counts for a 32nd. The
    /// round's first page fixes it.
    /// @param round The round.
    /// @return pointsMilli The sum of its scores, in thousandths of a full one.
    /// @return peers How many were settled with points.
    /// @return weight Current weight of its scores.
    /// @return meanWeight Mean weight of the counted rounds before it; 0 if there were none.
    function totalsOf(
        uint64 round
    ) external view returns (uint256 pointsMilli, uint256 peers, uint256 weight, uint256 meanWeight);

    /// @notice How a peer's round was settled. Valid for the last `OUTCOME_RING - 1` rounds, and for older ones in
    /// which a challenge against the peer is open.
    /// @param round The round.
    /// @param peerKey The peer.
    /// @return outcome 0 not settled, 1 scored, 2 unavailable, 3 no quorum, 4 the round is void, 5 a leaf was
    /// false, 6 a leaf was withheld.
    /// @return scoreMilli Points given, 0 to 1000.
    function outcomeOf(uint64 round, bytes32 peerKey) external view returns (uint8 outcome, uint16 scoreMilli);

    /// @notice Largest distance from the settled median at which a vote agrees with it.
    /// @return milli Thousandths of a full score.
    function TOLERANCE_MILLI() external view returns (uint16 milli);

    /// @notice Nectar that a round's scores share.
    /// @return amountWei Nectar.
    function EMISSION_WEI() external view returns (uint256 amountWei);
}
