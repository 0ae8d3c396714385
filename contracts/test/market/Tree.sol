// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @dev Merkle trees of sorted pairs in the plain way; an odd node moves up as it is.
library Tree {
    function root(bytes32[] memory leaves) internal pure returns (bytes32) {
        while (leaves.length > 1) leaves = above(leaves);
        return leaves[0];
    }

    function proof(bytes32[] memory leaves, uint256 index) internal pure returns (bytes32[] memory siblings) {
        siblings = new bytes32[](8);
        uint256 count = 0;
        while (leaves.length > 1) {
            uint256 sibling = index ^ 1;
            if (sibling < leaves.length) siblings[count++] = leaves[sibling];
            leaves = above(leaves);
            index /= 2;
        }
        assembly ("memory-safe") {
            mstore(siblings, count)
        }
    }

    function above(bytes32[] memory nodes) private pure returns (bytes32[] memory parents) {
        parents = new bytes32[]((nodes.length + 1) / 2);
        for (uint256 i = 0; i < parents.length; ++i) {
            parents[i] = nodes[2 * i];
            if (2 * i + 1 < nodes.length) parents[i] = pair(nodes[2 * i], nodes[2 * i + 1]);
        }
    }

    function pair(bytes32 a, bytes32 b) private pure returns (bytes32) {
        return a < b ? keccak256(abi.encode(a, b)) : keccak256(abi.encode(b, a));
    }
}
