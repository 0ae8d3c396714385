// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IRolloutCommitments} from "../../src/interfaces/IRolloutCommitments.sol";
import {IWithheldLeaves} from "../../src/interfaces/IWithheldLeaves.sol";

/// @dev Shows a leaf with a body that no transaction carried.
contract Shower {
    /// @return spentGas What showing it took.
    function show(
        IWithheldLeaves challenges,
        bytes32 peerKey,
        IRolloutCommitments.Work calldata work,
        IRolloutCommitments.Leaf calldata leaf,
        uint256 bodyBytes
    ) external returns (uint256 spentGas) {
        bytes memory body = filled(bodyBytes);
        spentGas = gasleft();
        challenges.showLeaf(0, peerKey, work, leaf, new bytes32[](0), body);
        spentGas -= gasleft();
    }

    /// @dev A body without zero bytes.
    function filled(uint256 bodyBytes) public pure returns (bytes memory body) {
        body = new bytes(bodyBytes);
        for (uint256 at = 32; at <= bodyBytes; at += 32) {
            assembly {
                mstore(add(body, at), not(0))
            }
        }
    }
}
