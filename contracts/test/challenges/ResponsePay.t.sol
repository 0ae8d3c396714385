// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IRolloutCommitments} from "../../src/interfaces/IRolloutCommitments.sol";
import {IWithheldLeaves} from "../../src/interfaces/IWithheldLeaves.sol";
import {ResponseFixture} from "./ResponseFixture.sol";
import {Shower} from "./Shower.sol";

contract ResponsePayTest is ResponseFixture {
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

    /// @dev The decoder ignores bytes behind the arguments: their number is the sender's choice.
    function testFuzz_BytesBehindTheArgumentsAreNotPaid(uint256 extraBytes) public {
        bytes memory body = new Shower().filled(2_048);
        bytes32[] memory none = new bytes32[](0);
        (IRolloutCommitments.Work memory work, IRolloutCommitments.Leaf memory leaf) = demandBody(body, none);
        bytes memory call = abi.encodeCall(IWithheldLeaves.showLeaf, (0, solvers[0], work, leaf, none, body));
        bytes memory extra = new Shower().filled(1 + (extraBytes % 80_000));
        vm.txGasPrice(MIN_GAS_PRICE_WEI);
        vm.prank(address(0xA11), address(0xA11));
        (bool isShown, ) = address(challenges).call(bytes.concat(call, extra));
        require(isShown, "the call reverted");
        // Its calldata would be 40,000 gas more.
        vm.assertLe(challenges.creditOf(address(0xA11)), 110_000 * MIN_GAS_PRICE_WEI);
    }

    /// @dev Bytes of the arguments are, whatever the length of the body.
    function testFuzz_TheResponsesCalldataIsPaid(uint256 bodyBytes) public {
        bytes memory body = new Shower().filled(32 + (bodyBytes % 4_096));
        uint256 paidWei = shownBy(address(0xA11), body, new bytes32[](0));
        vm.assertLe((90_000 + 16 * (body.length - 31)) * MIN_GAS_PRICE_WEI, paidWei);
    }

    /// @dev A proof may be of any length, and its bytes are paid.
    function test_NoResponseIsPaidMoreThanTheBond() public {
        bytes32[] memory siblings = new bytes32[](400);
        for (uint256 i = 0; i < siblings.length; ++i) siblings[i] = bytes32(type(uint256).max);
        vm.assertEq(shownBy(address(0xA11), new Shower().filled(65_536), siblings), BOND);
        vm.assertEq(challenges.creditOf(CHALLENGER), 0);
    }
}
