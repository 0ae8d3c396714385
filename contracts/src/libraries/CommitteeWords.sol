// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {tagOf} from "./Ring.sol";

/// @title CommitteeWords
/// @notice The committee of a shard of a round, in one word.
/// @dev Bits 0 to 159: 32 for the evaluator's number at each of 5 positions, 0 for an empty one. Bit 160: whether
/// absences were recorded. Bits 161 to 163: number of reveals. Bits 164 to 195: one for each place of the shard whose
/// peer was settled with points. Bits 224 to 255: the round's tag, so that a word of an older round counts as empty.
library CommitteeWords {
    uint256 private constant JUDGED = 1 << 160;
    uint256 private constant REVEALS_AT = 161;
    uint256 private constant SCORED_AT = 164;

    /// @notice The word with this tag and these evaluators.
    /// @param round The round.
    /// @param numbers Numbers of at most 5 evaluators.
    /// @return word The word.
    function pack(uint64 round, uint32[] memory numbers) internal pure returns (uint256 word) {
        word = tagOf(round) << 224;
        for (uint256 i = 0; i < numbers.length; ++i) word |= uint256(numbers[i]) << (32 * i);
    }

    /// @notice Whether the word is of a round.
    /// @param word The word.
    /// @param round The round.
    /// @return same Whether it is.
    function isOf(uint256 word, uint64 round) internal pure returns (bool same) {
        return word >> 224 == tagOf(round);
    }

    /// @notice The evaluator at a position.
    /// @param word The word.
    /// @param position 0 to 4.
    /// @return number Its number, or 0 for an empty position.
    function numberAt(uint256 word, uint256 position) internal pure returns (uint32 number) {
        return uint32(word >> (32 * position));
    }

    /// @notice Size of the committee.
    /// @param word The word.
    /// @return seats Number of seats.
    function sizeOf(uint256 word) internal pure returns (uint256 seats) {
        while (seats < 5 && numberAt(word, seats) != 0) ++seats;
    }

    /// @notice How many seats have revealed.
    /// @param word The word.
    /// @return reveals 0 to 5.
    function revealsOf(uint256 word) internal pure returns (uint256 reveals) {
        return (word >> REVEALS_AT) & 7;
    }

    /// @notice The word after one more reveal.
    /// @param word The word.
    /// @return revealed The word.
    function withReveal(uint256 word) internal pure returns (uint256 revealed) {
        return word + (1 << REVEALS_AT);
    }

    /// @notice Whether the seats were judged for their absences.
    /// @param word The word.
    /// @return judged Whether they were.
    function isJudged(uint256 word) internal pure returns (bool judged) {
        return word & JUDGED != 0;
    }

    /// @notice Places of the shard whose peers were settled with points.
    /// @param word The word.
    /// @return places A bit for each place.
    function scoredOf(uint256 word) internal pure returns (uint32 places) {
        return uint32(word >> SCORED_AT);
    }

    /// @notice The word of a shard of which more places were settled with points.
    /// @param word The word.
    /// @param places A bit for each place.
    /// @return scored The word.
    function withScored(uint256 word, uint256 places) internal pure returns (uint256 scored) {
        return word | (places << SCORED_AT);
    }

    /// @notice The word of a shard whose seats were judged.
    /// @param word The word.
    /// @return judged The word.
    function withJudged(uint256 word) internal pure returns (uint256 judged) {
        return word | JUDGED;
    }
}
