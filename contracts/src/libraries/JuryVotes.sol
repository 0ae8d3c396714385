// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Tally} from "./Tally.sol";

/// @title JuryVotes
/// @notice The votes of a jury of at most 23 seats in one word: scores in ascending order, then those of unavailable.
/// @dev Lanes of 11 bits, from the lowest: the lower bits of a vote's lane in `Tally`, or 0 for none.
library JuryVotes {
    uint256 private constant LANE_BITS = 11;
    uint256 private constant LANE = (1 << LANE_BITS) - 1;

    /// @notice The word with one more vote.
    /// @param votes The word, of fewer than 23 votes.
    /// @param scoreMilli 0 to 1000, or `Tally.UNAVAILABLE`.
    /// @return changed The word.
    function withVote(uint256 votes, uint16 scoreMilli) internal pure returns (uint256 changed) {
        uint256 lane = Tally.laneOf(scoreMilli) & LANE;
        uint256 at = 0;
        while (_laneAt(votes, at) != 0 && _laneAt(votes, at) < lane) at += LANE_BITS;
        uint256 lower = votes & ((1 << at) - 1);
        return lower | (lane << at) | ((votes >> at) << (at + LANE_BITS));
    }

    /// @notice The score at a place in ascending order.
    /// @param votes The word.
    /// @param place From 0, less than the number of scores.
    /// @return scoreMilli 0 to 1000.
    function scoreAt(uint256 votes, uint256 place) internal pure returns (uint16 scoreMilli) {
        return uint16(_laneAt(votes, place * LANE_BITS) - 1);
    }

    /// @notice How many votes there are.
    /// @param votes The word.
    /// @return count Number of votes, including those of unavailable.
    function heard(uint256 votes) internal pure returns (uint256 count) {
        for (; votes != 0; votes >>= LANE_BITS) ++count;
    }

    /// @notice How many votes are of unavailable.
    /// @param votes The word.
    /// @return count Number of votes.
    function unavailable(uint256 votes) internal pure returns (uint256 count) {
        for (; votes != 0; votes >>= LANE_BITS) if (votes & LANE == LANE) ++count;
    }

    /// @notice How many scores lie in a range.
    /// @param votes The word.
    /// @param low The lowest.
    /// @param high The highest; may be above 1000.
    /// @return count Number of scores.
    function countWithin(uint256 votes, uint256 low, uint256 high) internal pure returns (uint256 count) {
        for (; votes != 0; votes >>= LANE_BITS) {
            uint256 lane = votes & LANE;
            if (lane != LANE && lane > low && lane <= high + 1) ++count;
        }
    }

    function _laneAt(uint256 votes, uint256 at) private pure returns (uint256 lane) {
        return (votes >> at) & LANE;
    }
}
