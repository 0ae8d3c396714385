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
}
