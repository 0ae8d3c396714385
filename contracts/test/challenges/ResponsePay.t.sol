// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IRolloutCommitments} from "../../src/interfaces/IRolloutCommitments.sol";
import {LeafFixture} from "./LeafFixture.sol";
import {Shower} from "./Shower.sol";

contract ResponsePayTest is LeafFixture {
    /// @dev The account that shows the leaf can't set its own price.
    function test_APriceAboveTheBondsIsNotPaid() public {
        IRolloutCommitments.Work memory work = commitDrawn(solvers[0]);
        enterRound(1);
        demand(0, solvers[0], work);
        vm.txGasPrice(1_000 * MIN_GAS_PRICE_WEI);
        vm.prank(address(0xA11), address(0xA11));
        show(0, solvers[0], work);
        vm.assertLe(challenges.creditOf(address(0xA11)), 300_000 * MIN_GAS_PRICE_WEI);
    }

    function test_TheLargestBodyIsPaidWithinTheBond() public {
        uint256 paidWei = shownBy(address(0xA11), new Shower().filled(65_536), new bytes32[](0));
        vm.assertLe(2_600_000 * MIN_GAS_PRICE_WEI, paidWei);
        vm.assertLe(paidWei, BOND - 1);
    }

    /// @dev A transaction pays a quarter for zero bytes, so that a body of them would be worth withholding. Counting them
    /// costs twice as much without the optimizer, which tests are compiled without.
    function test_ZeroBytesArePaidAQuarter() public {
        uint256 paidWei = shownBy(address(0xA11), new bytes(65_536), new bytes32[](0));
        vm.assertLe(paidWei, 1_500_000 * MIN_GAS_PRICE_WEI);
        vm.assertLe(650_000 * MIN_GAS_PRICE_WEI, paidWei);
    }

    /// @dev A contract makes a body from nothing, and can show many in a transaction.
    function test_AContractIsPaidWhatItSpends() public {
        Shower shower = new Shower();
        bytes memory body = shower.filled(65_536);
        (IRolloutCommitments.Work memory work, IRolloutCommitments.Leaf memory leaf) = demandBody(
            body,
            new bytes32[](0)
        );
        vm.txGasPrice(MIN_GAS_PRICE_WEI);
        uint256 spentGas = shower.show(challenges, solvers[0], work, leaf, body.length);
        vm.assertLe(challenges.creditOf(address(shower)), spentGas * MIN_GAS_PRICE_WEI);
        vm.assertLe((spentGas * MIN_GAS_PRICE_WEI * 7) / 10, challenges.creditOf(address(shower)));
    }

    /// @dev An account with code can call itself.
    function test_AnAccountWithCodeIsPaidNoCalldata() public {
        vm.etch(address(0xA11), hex"ef010000000000000000000000000000000000000000a1");
        uint256 paidWei = shownBy(address(0xA11), new Shower().filled(65_536), new bytes32[](0));
        vm.assertLe(paidWei, 600_000 * MIN_GAS_PRICE_WEI);
    }

    /// @dev A proof may be of any length, and its bytes are paid.
    function test_NoResponseIsPaidMoreThanTheBond() public {
        bytes32[] memory siblings = new bytes32[](400);
        for (uint256 i = 0; i < siblings.length; ++i) siblings[i] = bytes32(type(uint256).max);
        vm.assertEq(shownBy(address(0xA11), new Shower().filled(65_536), siblings), BOND);
        vm.assertEq(challenges.creditOf(CHALLENGER), 0);
    }

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
