// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {RING} from "./Ring.sol";

/// @title RoundHistory
/// @notice The values of a 32-bit number in the last `RING` rounds, in one word.
/// @dev Bits 192 to 255: the round of the last change. Below: one lane of 32 bits for each round modulo `RING`.
library RoundHistory {
    /// @notice Thrown when a round is older than the word's history.
    /// @param round The round.
    /// @param firstKnown The first round in the history.
    error RoundHistory_Forgotten(uint64 round, uint64 firstKnown);

    uint256 private constant LANE = type(uint32).max;

    /// @notice The number in a round.
    /// @param word The history.
    /// @param round The round; rounds after the last change have that change's number.
    /// @return number The number.
    function at(uint256 word, uint64 round) internal pure returns (uint32 number) {
        uint64 last = uint64(word >> 192);
        if (round > last) round = last;
        else if (last - round >= RING) revert RoundHistory_Forgotten(round, last + 1 - RING);
        return uint32(word >> ((round % RING) * 32));
    }

    /// @notice The history with the number changed from a round on.
    /// @param word The history.
    /// @param round The round, not before that of the last change.
    /// @param number The number.
    /// @return changed The history.
    function set(uint256 word, uint64 round, uint32 number) internal pure returns (uint256 changed) {
        uint64 last = uint64(word >> 192);
        uint256 lanes = uint192(word);
        uint32 before = at(word, last);
        // Rounds without a change keep the number of the round before; more than `RING` of them overwrite all lanes.
        uint64 from = round > last + RING ? round - RING : last;
        for (uint64 r = from + 1; r < round; ++r) lanes = _withLane(lanes, r, before);
        return (uint256(round) << 192) | _withLane(lanes, round, number);
    }

    function _withLane(uint256 lanes, uint64 round, uint32 number) private pure returns (uint256 changed) {
        uint256 shift = (round % RING) * 32;
        return (lanes & ~(LANE << shift)) | (uint256(number) << shift);
    }
}
