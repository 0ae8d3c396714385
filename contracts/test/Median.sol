// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @dev The rule of settlement written the plain way, to hold the packed one to.
library Median {
    uint16 internal constant UNAVAILABLE = 65535;

    /// @dev Outcome and score of the first `count` of the votes.
    function outcome(
        uint16[] memory votes,
        uint256 count,
        uint256 quorum
    ) internal pure returns (uint8 kind, uint16 scoreMilli) {
        if (count < quorum) return (3, 0);
        uint256 unavailable = 0;
        for (uint256 i = 0; i < count; ++i) if (votes[i] == UNAVAILABLE) ++unavailable;
        if (unavailable > count - unavailable) return (2, 0);
        // The lower median is the smallest vote that at least half of the available ones do not exceed.
        uint256 half = (count - unavailable + 1) / 2;
        for (scoreMilli = 0; ; ++scoreMilli) {
            uint256 notAbove = 0;
            for (uint256 i = 0; i < count; ++i) if (votes[i] <= scoreMilli) ++notAbove;
            if (notAbove >= half) return (1, scoreMilli);
        }
    }

    /// @dev The finding of a jury: more than half of the seats drawn lie on one side, if it differs from the settled score.
    function verdict(
        uint16[] memory votes,
        uint256 count,
        uint256 drawn,
        uint16 standingMilli
    ) internal pure returns (bool isReached, uint16 scoreMilli) {
        uint8 kind = 0;
        (kind, scoreMilli) = outcome(votes, count, drawn / 2 + 1);
        if (kind != 1) return (false, 0);
        uint256 lower = 0;
        uint256 higher = 0;
        for (uint256 i = 0; i < count; ++i) {
            if (uint256(votes[i]) + 25 < standingMilli) ++lower;
            if (votes[i] != UNAVAILABLE && votes[i] > standingMilli + 25) ++higher;
        }
        if (scoreMilli + 25 < standingMilli) return (lower > drawn / 2, scoreMilli);
        if (scoreMilli > standingMilli + 25) return (higher > drawn / 2, scoreMilli);
        return (true, scoreMilli);
    }
}
