// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title VoteWords
/// @notice All votes on a peer of a round, and later its outcome, in one word.
/// @dev Bits 0 to 223: 16 for each of 14 seats, 0 for no vote, else the score + 1, or 65535 for unavailable. After
/// settlement the lowest 16 hold the score and the rest of them nothing. Bits 224 and 225: the outcome, 0 while open.
/// Bits 226 to 255: round + 1, modulo 2^30, so that what is left of an older round in the ring counts as empty.
library VoteWords {
    uint256 internal constant SEATS = 14;
    uint16 internal constant UNAVAILABLE = type(uint16).max;
    uint16 internal constant MAX_SCORE = 1000;

    uint8 internal constant OUTCOME_SCORED = 1;
    uint8 internal constant OUTCOME_UNAVAILABLE = 2;
    uint8 internal constant OUTCOME_NO_QUORUM = 3;

    uint256 private constant OUTCOME_SHIFT = 224;
    uint256 private constant TAG_SHIFT = 226;
    uint256 private constant TAG_MASK = (1 << 30) - 1;

    /// @dev The word as it stands for a round: itself, or an empty one of that round if it is of another.
    function forRound(uint256 word, uint64 round) internal pure returns (uint256 current) {
        uint256 tag = (uint256(round) + 1) & TAG_MASK;
        return word >> TAG_SHIFT == tag ? word : tag << TAG_SHIFT;
    }

    /// @dev The outcome: 0 while open.
    function outcomeOf(uint256 word) internal pure returns (uint8 outcome) {
        return uint8((word >> OUTCOME_SHIFT) & 3);
    }

    /// @dev The score of a settled word.
    function scoreOf(uint256 word) internal pure returns (uint16 scoreMilli) {
        return uint16(word);
    }

    /// @dev Whether a seat has voted, in an open word.
    function hasVote(uint256 word, uint256 seat) internal pure returns (bool voted) {
        return uint16(word >> (seat * 16)) != 0;
    }

    /// @dev The word with a seat's vote added; the seat must not have voted.
    function withVote(uint256 word, uint256 seat, uint16 scoreMilli) internal pure returns (uint256 updated) {
        uint256 lane = scoreMilli == UNAVAILABLE ? UNAVAILABLE : scoreMilli + 1;
        return word | (lane << (seat * 16));
    }

    /// @dev The word closed, with its outcome in place of the votes.
    function settled(uint256 word, uint8 outcome, uint16 scoreMilli) internal pure returns (uint256 closed) {
        return ((word >> TAG_SHIFT) << TAG_SHIFT) | (uint256(outcome) << OUTCOME_SHIFT) | scoreMilli;
    }

    /// @notice What an open word's votes come to.
    /// @param word The word.
    /// @param quorum Fewest votes that decide, at least 1.
    /// @return outcome `OUTCOME_SCORED`, `OUTCOME_UNAVAILABLE` or `OUTCOME_NO_QUORUM`.
    /// @return scoreMilli Lower median of the votes that are not unavailable, if scored; else 0.
    /// @return cast Votes, those of unavailable included.
    function tally(
        uint256 word,
        uint256 quorum
    ) internal pure returns (uint8 outcome, uint16 scoreMilli, uint256 cast) {
        uint256[SEATS] memory sorted;
        uint256 available = 0;
        for (uint256 seat = 0; seat < SEATS; ++seat) {
            uint256 lane = uint16(word >> (seat * 16));
            if (lane == 0) continue;
            ++cast;
            if (lane == UNAVAILABLE) continue;
            uint256 i = available++;
            for (; i > 0 && sorted[i - 1] > lane; --i) sorted[i] = sorted[i - 1];
            sorted[i] = lane;
        }
        if (cast < quorum) return (OUTCOME_NO_QUORUM, 0, cast);
        if ((cast - available) * 2 > cast) return (OUTCOME_UNAVAILABLE, 0, cast);
        return (OUTCOME_SCORED, uint16(sorted[(available - 1) / 2] - 1), cast);
    }
}
