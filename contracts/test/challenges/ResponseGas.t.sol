// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IRolloutCommitments} from "../../src/interfaces/IRolloutCommitments.sol";
import {ResponseFixture} from "./ResponseFixture.sol";
import {Shower} from "./Shower.sol";

/// @dev Pay for the largest answers, which follows the gas that is used.
contract ResponseGasTest is ResponseFixture {
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

    /// @dev Besides what the call spends: 4 gas a byte, 262,144 here.
    function test_ZeroBytesArePaidWhatTheyCost() public {
        bytes memory body = new bytes(65_536);
        (IRolloutCommitments.Work memory work, IRolloutCommitments.Leaf memory leaf) = demandBody(
            body,
            new bytes32[](0)
        );
        vm.txGasPrice(MIN_GAS_PRICE_WEI);
        vm.prank(address(0xA11), address(0xA11));
        uint256 spentGas = gasleft();
        challenges.showLeaf(0, solvers[0], work, leaf, new bytes32[](0), body);
        spentGas -= gasleft();
        vm.assertLe((spentGas + 200_000) * MIN_GAS_PRICE_WEI, challenges.creditOf(address(0xA11)));
    }
}
