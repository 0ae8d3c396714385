// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title Weights
/// @notice Weight of a score in its round's emission: at most five quarters of the mean of its key's last eight scores,
/// including this one. A key that works one round in three earns about a third for each of those rounds.
/// @dev Scores of counted rounds are in lanes of 10 bits, the newest lowest; weights are in 32nds of a thousandth.
library Weights {
    /// @dev Rounds that are averaged.
    uint256 private constant WINDOW = 8;
    /// @dev Rounds over which the weights of rounds are averaged.
    uint256 private constant SPAN = 32;
    uint256 private constant LANE_BITS = 10;
    uint256 private constant LANE = (1 << LANE_BITS) - 1;

    /// @notice Shifts the lanes, so that the lowest is for a later round; the rounds between have no score.
    /// @param lanes The lanes.
    /// @param by How many rounds later.
    /// @return moved The lanes; the lowest is empty unless `by` is 0.
    function ahead(uint80 lanes, uint256 by) internal pure returns (uint80 moved) {
        return by >= WINDOW ? 0 : uint80(uint256(lanes) << (LANE_BITS * by));
    }

    /// @notice Replaces the score of a round; rounds older than all lanes change nothing.
    /// @param lanes The lanes.
    /// @param age How many rounds before the newest.
    /// @param scoreMilli 0 to 1000.
    /// @return changed The lanes.
    function withScore(uint80 lanes, uint256 age, uint16 scoreMilli) internal pure returns (uint80 changed) {
        if (age >= WINDOW) return lanes;
        uint256 at = LANE_BITS * age;
        return uint80((lanes & ~(LANE << at)) | (uint256(scoreMilli) << at));
    }

    /// @notice The sum of the scores above the lowest lane.
    /// @param lanes The lanes.
    /// @return sumMilli At most 7000.
    function before(uint80 lanes) internal pure returns (uint256 sumMilli) {
        unchecked {
            for (uint256 left = lanes >> LANE_BITS; left != 0; left >>= LANE_BITS) sumMilli += left & LANE;
        }
    }

    /// @notice Weight of a score.
    /// @param scoreMilli The score.
    /// @param beforeMilli The sum of the seven before.
    /// @return weight At most 32000.
    function weightOf(uint256 scoreMilli, uint256 beforeMilli) internal pure returns (uint256 weight) {
        unchecked {
            weight = 4 * WINDOW * scoreMilli;
            uint256 most = 5 * (beforeMilli + scoreMilli);
            if (weight > most) weight = most;
        }
    }

    /// @notice The mean weight of counted rounds after one more: the plain mean of up to 32 rounds; after that each new
    /// round counts for a 32nd.
    /// @param number The number of that round, from 1; 0 if none was counted.
    /// @param meanWeight The mean before it.
    /// @param weight Its weight.
    /// @return changed The mean, rounded down.
    function meanOf(uint24 number, uint40 meanWeight, uint40 weight) internal pure returns (uint40 changed) {
        unchecked {
            if (number == 0) return 0;
            uint256 span = number < SPAN ? number : SPAN;
            return uint40((uint256(meanWeight) * (span - 1) + weight) / span);
        }
    }
}
