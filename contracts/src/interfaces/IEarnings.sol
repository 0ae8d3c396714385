// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title IEarnings
/// @notice Outcomes and points of peers, and the Nectar that they have earned by them.
interface IEarnings {
    /// @notice Emitted when the first page of a round is settled; in an outage before which no round weighed anything,
    /// by each page.
    /// @param round The round.
    /// @param number Its number among counted rounds, from 1; 0 for an outage, which does not count.
    /// @param meanWeight The mean weight of the counted rounds before it, see `totalsOf`.
    event RoundCounted(uint64 indexed round, uint24 number, uint40 meanWeight);

    /// @notice Thrown when an outcome is annulled that was annulled before.
    /// @param round The round.
    /// @param peerKey The peer.
    error RewardVotes_AlreadyAnnulled(uint64 round, bytes32 peerKey);

    /// @notice The sum of a peer's settled scores, those of rounds not yet final included.
    /// @param peerKey The peer.
    /// @return total Points, in thousandths of a full score.
    function points(bytes32 peerKey) external view returns (uint256 total);

    /// @notice What a peer has earned by scores in final rounds: the round's emission, times what its score weighs over
    /// what all scores do, in which open appeals count with all that they could add; nothing for a round in which a
    /// challenge against the peer is open. Rounded down. It never falls, and a round is in it from the moment that it
    /// is final, for ever. Where the mean weight of the counted rounds before is more than what all scores weigh, it is
    /// over that mean: who is driven away leaves nothing to those who stay, and the rest is not minted.
    /// @dev A score weighs `min(32 s, 5 (before + s))`, `before` being the peer's scores of the seven counted rounds
    /// before, as they were when it was settled: those that were settled and no outage. What was not scored is 0.
    /// @param peerKey The peer.
    /// @return amountWei Nectar.
    function earnedOf(bytes32 peerKey) external view returns (uint256 amountWei);

    /// @notice What was settled in a round, what it weighs, and what that is held to: all that a round emits is less by
    /// the ratio of the two where the first is below the second.
    /// @dev The mean is over all counted rounds before while they are at most 32; then each new one counts a 32nd of
    /// it. It is fixed by the round's first page.
    /// @param round The round.
    /// @return pointsMilli The sum of its scores, in thousandths of a full one.
    /// @return peers How many were settled with points.
    /// @return weight Of its scores, as they stand.
    /// @return meanWeight Of the counted rounds before it; 0 where none was.
    function totalsOf(
        uint64 round
    ) external view returns (uint256 pointsMilli, uint256 peers, uint256 weight, uint256 meanWeight);

    /// @notice How a peer's round was settled. Right for the last `OUTCOME_RING - 1` rounds, and for older ones in
    /// which a
    /// challenge against the peer is open.
    /// @param round The round.
    /// @param peerKey The peer.
    /// @return outcome 0 not settled, 1 scored, 2 unavailable, 3 no quorum, 4 the round is void, 5 a leaf was
    /// false, 6 a leaf was withheld.
    /// @return scoreMilli Points given, 0 to 1000.
    function outcomeOf(uint64 round, bytes32 peerKey) external view returns (uint8 outcome, uint16 scoreMilli);

    /// @notice How far from the settled median a vote still agrees.
    /// @return milli Thousandths of a full score.
    function TOLERANCE_MILLI() external view returns (uint16 milli);

    /// @notice Nectar that a round's scores share.
    /// @return amountWei Nectar.
    function EMISSION_WEI() external view returns (uint256 amountWei);
}
