// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @dev A game's root and proofs in the plain way: `H(clue 0, H(clue 1, ... H(last clue, answer)))`.
library Spine {
    function root(bytes32[] memory leaves) internal pure returns (bytes32) {
        return from(leaves, 0);
    }

    function proof(bytes32[] memory leaves, uint256 index) internal pure returns (bytes32[] memory others) {
        bool isAnswer = index + 1 == leaves.length;
        others = new bytes32[](isAnswer ? index : index + 1);
        uint256 count = 0;
        if (!isAnswer) others[count++] = from(leaves, index + 1);
        while (index > 0) others[count++] = leaves[--index];
    }

    function pair(bytes32 left, bytes32 right) internal pure returns (bytes32) {
        return keccak256(abi.encode(left, right));
    }

    function from(bytes32[] memory leaves, uint256 index) private pure returns (bytes32 rest) {
        uint256 last = leaves.length - 1;
        rest = leaves[last];
        while (last > index) rest = pair(leaves[--last], rest);
    }
}
