// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title ScoreHistogram
/// @notice Counts of scores, so that a median costs the same for 3 votes as for 60,000.
library ScoreHistogram {
    /// @dev Counts of 16 bits: of each score, and of each word of scores.
    struct Histogram {
        uint256[63] scores;
        uint256[4] words;
        // one slot
        uint32 available;
        uint32 unavailable;
    }

    uint256 private constant LANES = 16;

    /// @notice Counts a score.
    /// @param histogram The histogram, of fewer than 65,536 scores.
    /// @param scoreMilli 0 to 1000.
    function add(Histogram storage histogram, uint16 scoreMilli) internal {
        uint256 word = scoreMilli / LANES;
        histogram.scores[word] += _lane(scoreMilli % LANES);
        histogram.words[word / LANES] += _lane(word % LANES);
        ++histogram.available;
    }

    /// @notice The score at a place in ascending order.
    /// @param histogram The histogram.
    /// @param place From 0, less than the number of scores.
    /// @return scoreMilli 0 to 1000.
    function scoreAt(Histogram storage histogram, uint256 place) internal view returns (uint16 scoreMilli) {
        uint256 word = 0;
        for (uint256 count = _countAt(histogram.words[0], 0); place >= count;) {
            place -= count;
            ++word;
            count = _countAt(histogram.words[word / LANES], word % LANES);
        }
        uint256 scores = histogram.scores[word];
        uint256 lane = 0;
        for (uint256 count = _countAt(scores, 0); place >= count;) {
            place -= count;
            ++lane;
            count = _countAt(scores, lane);
        }
        return uint16(word * LANES + lane);
    }

    /// @notice How many scores lie in a range.
    /// @param histogram The histogram.
    /// @param low The lowest.
    /// @param high The highest, at most 1000.
    /// @return count Number of scores.
    function countWithin(Histogram storage histogram, uint256 low, uint256 high) internal view returns (uint256 count) {
        for (uint256 score = low; score <= high; ++score) {
            count += _countAt(histogram.scores[score / LANES], score % LANES);
        }
    }

    /// @notice How many votes were counted.
    /// @param histogram The histogram.
    /// @return votes Number of votes, including those of unavailable.
    function heard(Histogram storage histogram) internal view returns (uint256 votes) {
        return uint256(histogram.available) + histogram.unavailable;
    }

    function _lane(uint256 lane) private pure returns (uint256 one) {
        return 1 << (lane * 16);
    }

    function _countAt(uint256 word, uint256 lane) private pure returns (uint256 count) {
        return uint16(word >> (lane * 16));
    }
}
