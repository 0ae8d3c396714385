// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Rounds} from "../src/Rounds.sol";
import {IRounds} from "../src/interfaces/IRounds.sol";
import {SwarmFixture} from "./SwarmFixture.sol";

contract ManualRoundsTest is SwarmFixture {
    address internal constant ALICE = address(0xA11CE);

    function setUp() public override {
        super.setUp();
        rounds = new Rounds(address(this), START, 0, ENVIRONMENT);
    }

    function test_ARoundLastsUntilItIsEnded() public {
        vm.assertTrue(rounds.isManual());
        vm.warp(START + 1_000_000);
        vm.assertEq(rounds.currentRound(), 0);
        vm.assertEq(rounds.endOf(0), rounds.NEVER());
        vm.assertEq(rounds.startOf(1), rounds.NEVER());
        vm.expectEmit(address(rounds));
        emit IRounds.ScheduleSet(1, START + 1_000_000, 0);
        vm.assertEq(rounds.advanceRound(), 1);

        vm.assertEq(rounds.currentRound(), 1);
        vm.assertEq(rounds.firstOpenRound(), 2);
        vm.assertEq(rounds.startOf(0), START);
        vm.assertEq(rounds.endOf(0), START + 1_000_000);
        vm.assertEq(rounds.startOf(1), START + 1_000_000);
        vm.assertEq(rounds.endOf(1), rounds.NEVER());
        vm.assertEq(rounds.startOf(7), rounds.NEVER());
        vm.assertEq(rounds.endOf(type(uint64).max), rounds.NEVER());
        vm.assertEq(rounds.roundAt(START + 999_999), 0);
    }

    function test_SeveralRoundsMayPassInOneBlock() public {
        for (uint64 round = 1; round < 5; ++round) {
            vm.assertEq(rounds.advanceRound(), round);
            vm.assertEq(rounds.currentRound(), round);
        }
        vm.assertEq(rounds.startOf(2), rounds.endOf(2));
    }

    function test_TheEnvironmentOfRoundsToComeMayChange() public {
        rounds.advanceRound();
        rounds.setEnvironment(2, bytes32("two"));
        vm.assertEq(rounds.environmentOf(1), ENVIRONMENT);
        vm.assertEq(rounds.environmentOf(2), bytes32("two"));
        vm.expectRevert(abi.encodeWithSelector(IRounds.Rounds_AlreadyBegun.selector, 1, 2));
        rounds.setEnvironment(1, bytes32("late"));
    }

    function test_RevertWhen_NotStarted() public {
        vm.warp(START - 1);
        vm.expectRevert(abi.encodeWithSelector(IRounds.Rounds_NotStarted.selector, START - 1, START));
        rounds.advanceRound();
    }

    function test_RevertWhen_AManualScheduleIsToBeComputed() public {
        vm.expectRevert(abi.encodeWithSelector(IRounds.Rounds_Manual.selector));
        rounds.setSchedule(1, 60);
    }

    function test_RevertWhen_AComputedRoundIsEndedByHand() public {
        rounds = new Rounds(address(this), START, LENGTH, ENVIRONMENT);
        vm.assertFalse(rounds.isManual());
        vm.expectRevert(abi.encodeWithSelector(IRounds.Rounds_NotManual.selector));
        rounds.advanceRound();
    }

    function test_RevertWhen_EndedWithoutTheRole() public {
        expectMissingRole(ALICE, rounds.ROUND_MANAGER_ROLE());
        vm.prank(ALICE);
        rounds.advanceRound();
    }

    function testFuzz_EverySecondIsInTheRoundThatHadBegun(uint256 seed, uint16 secondsIn) public {
        uint256 expected = 0;
        uint256 at = START + secondsIn;
        for (uint256 i = 0; i < 12; ++i) {
            seed = uint256(keccak256(abi.encode(seed)));
            vm.warp(block.timestamp + (seed % 10_000));
            rounds.advanceRound();
            if (block.timestamp <= at) expected = i + 1;
        }
        vm.assertEq(rounds.roundAt(at), expected);
    }
}
