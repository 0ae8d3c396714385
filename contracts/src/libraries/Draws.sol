// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title Draws
/// @notice Random choices that anyone can reproduce, on chain and off it.
library Draws {
    /// @notice The seed of a choice.
    /// @param purpose What it is for; different purposes never share random numbers.
    /// @param round The round.
    /// @param beacon The round's beacon.
    /// @param subject What is chosen for: a peer's key, or a shard.
    /// @return seed The seed.
    function seedOf(
        string memory purpose,
        uint64 round,
        bytes32 beacon,
        bytes32 subject
    ) internal view returns (bytes32 seed) {
        return keccak256(abi.encode(purpose, block.chainid, round, beacon, subject, uint32(0)));
    }

    /// @notice Distinct numbers below a bound, by the first steps of a Fisher–Yates shuffle over keccak256 in counter
    /// mode. 256 random bits over a pool of at most 2^32: the bias of the remainder is below 2^-224.
    /// @dev The pool is not materialized: only changed places are stored, so the cost grows with `count` squared, not
    /// with `total`.
    /// @param total Numbers come from 0 to `total` - 1.
    /// @param count How many; fewer come back when `total` is smaller.
    /// @param seed The seed.
    /// @return drawn The numbers, in the order drawn.
    function distinct(uint256 total, uint256 count, bytes32 seed) internal pure returns (uint32[] memory drawn) {
        if (count > total) count = total;
        drawn = new uint32[](count);
        uint256[] memory places = new uint256[](count);
        uint32[] memory held = new uint32[](count);
        for (uint256 step = 0; step < count; ++step) {
            uint256 last = total - 1 - step;
            uint256 at = uint256(keccak256(abi.encodePacked(seed, uint32(step)))) % (last + 1);
            drawn[step] = _heldAt(at, step, places, held);
            places[step] = at;
            held[step] = _heldAt(last, step, places, held);
        }
    }

    /// @notice The numbers of `distinct`, by a pool in memory: the cost grows with `total` and with `count`, not with
    /// its square. For many numbers out of not many more.
    /// @param total Numbers come from 0 to `total` - 1.
    /// @param count How many; fewer come back when `total` is smaller.
    /// @param seed The seed.
    /// @return drawn The numbers, in the order drawn.
    function distinctOfPool(uint256 total, uint256 count, bytes32 seed) internal pure returns (uint32[] memory drawn) {
        if (count > total) count = total;
        drawn = new uint32[](count);
        // The number that was moved to a place, plus one; 0 where none was.
        uint256[] memory moved = new uint256[](total);
        for (uint256 step = 0; step < count; ++step) {
            uint256 last = total - 1 - step;
            uint256 at = uint256(keccak256(abi.encodePacked(seed, uint32(step)))) % (last + 1);
            drawn[step] = uint32(moved[at] == 0 ? at : moved[at] - 1);
            moved[at] = moved[last] == 0 ? last + 1 : moved[last];
        }
    }

    /// @notice One of a few places out of 32: numbers are drawn in counter mode until one of those places comes up.
    /// @param places A bit for each place that may be drawn, at least one: about 32 / places hashes.
    /// @param seed The seed.
    /// @return place 0 to 31.
    function among(uint32 places, bytes32 seed) internal pure returns (uint32 place) {
        for (uint32 step = 0; ; ++step) {
            place = uint32(uint256(keccak256(abi.encodePacked(seed, step))) % 32);
            if ((places >> place) & 1 == 1) return place;
        }
    }

    /// @dev The value at a place of the pool after `steps` steps; the latest change counts.
    function _heldAt(
        uint256 place,
        uint256 steps,
        uint256[] memory places,
        uint32[] memory held
    ) private pure returns (uint32 number) {
        for (uint256 i = steps; i > 0; --i) if (places[i - 1] == place) return held[i - 1];
        return uint32(place);
    }
}
