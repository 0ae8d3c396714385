// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IRolloutCommitments} from "../../src/interfaces/IRolloutCommitments.sol";
import {LeafFixture} from "./LeafFixture.sol";

/// @dev Leaves of round 0 that are demanded, and shown by an account at the lowest gas price.
abstract contract ResponseFixture is LeafFixture {
    /// @dev Demands a leaf of round 0 with a body, in round 1.
    function demandBody(
        bytes memory body,
        bytes32[] memory siblings
    ) internal returns (IRolloutCommitments.Work memory work, IRolloutCommitments.Leaf memory leaf) {
        leaf = drawnLeaf(0, solvers[0]);
        leaf.bodyHash = sha256(body);
        bytes32 root = commitments.leafOf(0, solvers[0], leaf);
        for (uint256 i = 0; i < siblings.length; ++i) {
            root = keccak256(root < siblings[i] ? abi.encode(root, siblings[i]) : abi.encode(siblings[i], root));
        }
        work = IRolloutCommitments.Work(root, 8, POLICY, POLICY);
        vm.prank(registry.accountOf(solvers[0]));
        commitments.commit(0, solvers[0], root, 8, POLICY, POLICY, 0);
        enterRound(1);
        demand(0, solvers[0], work);
    }

    /// @dev Pay of an account that sends the transaction itself.
    function shownBy(address sender, bytes memory body, bytes32[] memory siblings) internal returns (uint256 paidWei) {
        (IRolloutCommitments.Work memory work, IRolloutCommitments.Leaf memory leaf) = demandBody(body, siblings);
        vm.txGasPrice(MIN_GAS_PRICE_WEI);
        vm.prank(sender, sender);
        challenges.showLeaf(0, solvers[0], work, leaf, siblings, body);
        return challenges.creditOf(sender);
    }
}
