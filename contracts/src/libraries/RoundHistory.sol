// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {RING} from "./Ring.sol";

/// @title RoundHistory
/// @notice A number of 32 bits that changes from round to round, in one word: what it was in the last `RING` rounds.
/// @dev Bits 192 to 255: the round of the last change. Below: one lane of 32 bits for each round modulo `RING`.
library RoundHistory {
    /// @notice Thrown when a round is asked for that the word no longer knows.
    /// @param round The round asked for.
    /// @param firstKnown The first round that it knows.
    error RoundHistory_Forgotten(uint64 round, uint64 firstKnown);

    uint256 private constant LANE = type(uint32).max;

    /// @notice The number in a round.
    /// @param word The history.
    /// @param round The round; any later than the last change has that change's number.
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
        // Rounds without a change have the number of the one before; more than a ring of them overwrite all lanes.
        uint64 from = round > last + RING ? round - RING : last;
        for (uint64 r = from + 1; r < round; ++r) lanes = _withLane(lanes, r, before);
        return (uint256(round) << 192) | _withLane(lanes, round, number);
    }

    function _withLane(uint256 lanes, uint64 round, uint32 number) private pure returns (uint256 changed) {
        uint256 shift = (round % RING) * 32;
        return (lanes & ~(LANE << shift)) | (uint256(number) << shift);
    }
}
