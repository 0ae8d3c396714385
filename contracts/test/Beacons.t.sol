// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IRoundBeacons} from "../src/interfaces/IRoundBeacons.sol";
import {BlockHashes} from "../src/libraries/BlockHashes.sol";
import {SwarmFixture} from "./SwarmFixture.sol";

contract BeaconsTest is SwarmFixture {
    /// @dev Answers as the history contract of EIP-2935 does: for each block one word, here the number plus one.
    bytes internal constant HISTORY_CODE = hex"5f356001015f5260205ff3";

    function setUp() public override {
        super.setUp();
        vm.roll(1_000);
        vm.warp(rounds.startOf(1));
    }

    function test_FixesABlockToComeOnce() public {
        expectState(0, IRoundBeacons.BeaconState.None, 0);
        vm.expectEmit(address(rounds));
        emit IRoundBeacons.BeaconFixed(0, 1_001);
        rounds.fixBeacon(0);
        vm.assertEq(rounds.BEACON_DELAY_BLOCKS(), 1);
        vm.roll(1_005);
        vm.recordLogs();
        rounds.fixBeacon(0);
        vm.assertEq(vm.getRecordedLogs().length, 0);
        expectState(0, IRoundBeacons.BeaconState.Fixed, 1_001);
    }

    function test_RecordsTheHashOfThatBlockOnce() public {
        rounds.fixBeacon(0);
        vm.roll(1_002);
        vm.setBlockhash(1_001, bytes32("hash"));
        vm.expectEmit(address(rounds));
        emit IRoundBeacons.BeaconDrawn(0, bytes32("hash"));
        vm.assertEq(rounds.drawBeacon(0), bytes32("hash"));
        vm.setBlockhash(1_001, bytes32("other"));
        vm.recordLogs();
        vm.assertEq(rounds.drawBeacon(0), bytes32("hash"));
        vm.assertEq(vm.getRecordedLogs().length, 0);
        enterRound(9);
        vm.assertEq(rounds.drawBeacon(0), bytes32("hash"));
        vm.assertEq(rounds.beaconOf(0), bytes32("hash"));
        expectState(0, IRoundBeacons.BeaconState.Drawn, 1_001);
    }

    function test_RevertWhen_ItsBlockHasNotEnded() public {
        rounds.fixBeacon(0);
        for (uint256 at = 1_000; at <= 1_001; ++at) {
            vm.roll(at);
            vm.expectRevert(abi.encodeWithSelector(IRoundBeacons.Rounds_BeaconNotReady.selector, 0, 1_001, at));
            rounds.drawBeacon(0);
        }
    }

    function test_RevertWhen_NothingIsFixed() public {
        vm.expectRevert(abi.encodeWithSelector(IRoundBeacons.Rounds_BeaconNotFixed.selector, 0));
        rounds.drawBeacon(0);
    }

    function test_RevertWhen_FixedInAnotherRoundThanTheNext() public {
        for (uint64 round = 1; round <= 3; round += 1) expectNotDue(round, 1);
        vm.warp(rounds.startOf(2));
        expectNotDue(0, 2);
        vm.warp(START - 1);
        expectNotDue(0, 0);
        expectNotDue(type(uint64).max, 0);
    }

    function test_AMissedRoundIsVoid() public {
        vm.warp(rounds.startOf(2));
        expectState(0, IRoundBeacons.BeaconState.Void, 0);
    }

    function test_ABeaconThatIsFixedAndNotDrawnInItsRoundIsVoid() public {
        rounds.fixBeacon(0);
        vm.roll(1_002);
        vm.warp(rounds.startOf(2));
        expectState(0, IRoundBeacons.BeaconState.Void, 1_001);
        vm.expectRevert(abi.encodeWithSelector(IRoundBeacons.Rounds_BeaconNotDue.selector, 0, 2));
        rounds.drawBeacon(0);
        vm.assertEq(rounds.beaconOf(0), bytes32(0));
    }

    /// @dev Never drawn again: nobody may wait for a block that suits.
    function test_ABeaconWhoseHashTheChainForgotIsVoid() public {
        vm.etch(BlockHashes.HISTORY, "");
        rounds.fixBeacon(0);
        vm.roll(1_001 + 257);
        expectState(0, IRoundBeacons.BeaconState.Void, 1_001);
        vm.expectRevert(abi.encodeWithSelector(IRoundBeacons.Rounds_BeaconMissed.selector, 0, 1_001));
        rounds.drawBeacon(0);
        rounds.fixBeacon(0);
        expectState(0, IRoundBeacons.BeaconState.Void, 1_001);
    }

    function test_AsksTheHistoryOfTheChainWhereThereIsOne() public {
        vm.etch(BlockHashes.HISTORY, HISTORY_CODE);
        rounds.fixBeacon(0);
        vm.roll(1_001 + 8_000);
        vm.assertEq(rounds.drawBeacon(0), bytes32(uint256(1_002)));
    }

    function test_AHistoryThatAnswersOtherwiseIsNone() public {
        vm.etch(BlockHashes.HISTORY, hex"60405ff3"); // 64 bytes of nothing
        rounds.fixBeacon(0);
        vm.roll(1_001 + 8_000);
        expectState(0, IRoundBeacons.BeaconState.Void, 1_001);
    }

    function expectNotDue(uint64 round, uint64 current) internal {
        vm.expectRevert(abi.encodeWithSelector(IRoundBeacons.Rounds_BeaconNotDue.selector, round, current));
        rounds.fixBeacon(round);
        vm.expectRevert(abi.encodeWithSelector(IRoundBeacons.Rounds_BeaconNotDue.selector, round, current));
        rounds.drawBeacon(round);
    }

    function expectState(uint64 round, IRoundBeacons.BeaconState state, uint256 blockNumber) internal view {
        (IRoundBeacons.BeaconState actual, uint256 actualBlock) = rounds.beaconStateOf(round);
        vm.assertTrue(actual == state);
        vm.assertEq(actualBlock, blockNumber);
    }
}
