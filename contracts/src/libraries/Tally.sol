// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @dev Most seats of a committee.
uint256 constant SEATS = 5;

/// @title Tally
/// @notice The result of a committee's votes on one peer.
/// @dev A vote is a lane of 16 bits: 0 for no vote, else the score + 1, or 65535 for unavailable. A seat's votes on a
/// shard take two words of 16 lanes.
library Tally {
    uint256 internal constant LANES = 16;
    uint16 internal constant UNAVAILABLE = type(uint16).max;
    uint16 internal constant MAX_SCORE = 1000;

    uint8 internal constant OUTCOME_SCORED = 1;
    uint8 internal constant OUTCOME_UNAVAILABLE = 2;
    uint8 internal constant OUTCOME_NO_QUORUM = 3;
    uint8 internal constant OUTCOME_VOID = 4;
    uint8 internal constant OUTCOME_FALSE = 5;
    uint8 internal constant OUTCOME_WITHHELD = 6;

    /// @notice The lane of a vote.
    /// @param scoreMilli 0 to 1000, or `UNAVAILABLE`.
    /// @return lane The lane.
    function laneOf(uint16 scoreMilli) internal pure returns (uint256 lane) {
        return scoreMilli == UNAVAILABLE ? UNAVAILABLE : scoreMilli + 1;
    }

    /// @notice Fewest votes that decide: more than half of the committee, and never fewer than 2.
    /// @param seats Seats of the committee.
    /// @return votes Number of votes.
    function quorumOf(uint256 seats) internal pure returns (uint256 votes) {
        votes = seats / 2 + 1;
        return votes < 2 ? 2 : votes;
    }

    /// @notice The verdict on a peer.
    /// @param lanes A lane for each seat.
    /// @param quorum Fewest votes that decide, at least 1.
    /// @return outcome `OUTCOME_SCORED`, `OUTCOME_UNAVAILABLE` or `OUTCOME_NO_QUORUM`.
    /// @return scoreMilli Lower median of the votes that are not unavailable, if scored; else 0.
    /// @return cast Votes, including those of unavailable.
    function verdict(
        uint256[SEATS] memory lanes,
        uint256 quorum
    ) internal pure returns (uint8 outcome, uint16 scoreMilli, uint8 cast) {
        unchecked {
            uint256 available = 0;
            for (uint256 seat = 0; seat < SEATS; ++seat) {
                uint256 lane = lanes[seat];
                if (lane != 0) ++cast;
                if (lane != 0 && lane != UNAVAILABLE) ++available;
            }
            if (cast < quorum) return (OUTCOME_NO_QUORUM, 0, cast);
            if ((cast - available) * 2 > cast) return (OUTCOME_UNAVAILABLE, 0, cast);
            return (OUTCOME_SCORED, uint16(_ofSorted(lanes, (available - 1) / 2) - 1), cast);
        }
    }

    /// @dev The lane at a place, 0 to 2, among those with a score, lowest first. A sorting network for five: there are
    /// few lanes, and memory is expensive.
    function _ofSorted(uint256[SEATS] memory lanes, uint256 place) private pure returns (uint256 lane) {
        uint256 a = _sortKey(lanes[0]);
        uint256 b = _sortKey(lanes[1]);
        uint256 c = _sortKey(lanes[2]);
        uint256 d = _sortKey(lanes[3]);
        uint256 e = _sortKey(lanes[4]);
        if (a > b) (a, b) = (b, a);
        if (d > e) (d, e) = (e, d);
        if (c > e) (c, e) = (e, c);
        if (c > d) (c, d) = (d, c);
        if (b > e) (b, e) = (e, b);
        if (a > d) (a, d) = (d, a);
        if (a > c) (a, c) = (c, a);
        if (b > d) (b, d) = (d, b);
        if (b > c) (b, c) = (c, b);
        return
            place == 0
                ? a
                : place == 1
                    ? b
                    : c;
    }

    /// @dev Lanes without a score are sorted last.
    function _sortKey(uint256 lane) private pure returns (uint256 key) {
        return lane == 0 ? UNAVAILABLE : lane;
    }
}
