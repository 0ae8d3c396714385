// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Draws} from "../src/libraries/Draws.sol";

/// @dev Shows the draws of the library, to compare them with those of a node.
contract DrawsProbe {
    function seedOf(
        string calldata purpose,
        uint64 round,
        bytes32 beacon,
        bytes32 subject
    ) external view returns (bytes32 seed) {
        return Draws.seedOf(purpose, round, beacon, subject);
    }

    function distinct(uint256 total, uint256 count, bytes32 seed) external pure returns (uint32[] memory drawn) {
        return Draws.distinct(total, count, seed);
    }

    function distinctOfPool(
        uint256 total,
        uint256 count,
        bytes32 seed
    ) external pure returns (uint32[] memory drawn) {
        return Draws.distinctOfPool(total, count, seed);
    }

    function among(uint32 places, bytes32 seed) external pure returns (uint32 place) {
        return Draws.among(places, seed);
    }
}
