// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Rounds} from "../src/Rounds.sol";
import {IRounds} from "../src/interfaces/IRounds.sol";
import {SwarmFixture} from "./SwarmFixture.sol";

contract RoundsTest is SwarmFixture {
    address internal constant ALICE = address(0xA11CE);

    function test_CountsRoundsFromZero() public {
        vm.assertEq(rounds.currentRound(), 0);
        vm.warp(START + LENGTH - 1);
        vm.assertEq(rounds.currentRound(), 0);
        vm.warp(START + LENGTH);
        vm.assertEq(rounds.currentRound(), 1);
        vm.assertEq(rounds.firstOpenRound(), 2);
        vm.assertEq(rounds.startOf(7), START + 7 * LENGTH);
        vm.assertEq(rounds.endOf(7), START + 8 * LENGTH);
        vm.assertEq(rounds.environmentOf(7), ENVIRONMENT);
        vm.assertEq(rounds.FINALITY_ROUNDS(), 3);
    }

    function test_AnnouncesItsFirstSpans() public {
        vm.expectEmit(addressOfNext());
        emit IRounds.ScheduleSet(0, START, LENGTH);
        vm.expectEmit(addressOfNext());
        emit IRounds.EnvironmentSet(0, ENVIRONMENT);
        new Rounds(address(this), START, LENGTH, ENVIRONMENT);
    }

    function test_RevertWhen_BuiltWithoutAnEnvironment() public {
        vm.expectRevert(abi.encodeWithSelector(IRounds.Rounds_ZeroEnvironment.selector, 0));
        new Rounds(address(this), START, LENGTH, 0);
    }

    function test_RevertWhen_NotStarted() public {
        vm.warp(START - 1);
        vm.assertEq(rounds.firstOpenRound(), 0);
        vm.expectRevert(abi.encodeWithSelector(IRounds.Rounds_NotStarted.selector, START - 1, START));
        rounds.currentRound();
        vm.expectRevert(abi.encodeWithSelector(IRounds.Rounds_NotStarted.selector, 0, START));
        rounds.roundAt(0);
    }

    function test_ChangesTheLengthOfRoundsToCome() public {
        vm.warp(START + LENGTH);
        vm.expectEmit(address(rounds));
        emit IRounds.ScheduleSet(4, START + 4 * LENGTH, 60);
        rounds.setSchedule(4, 60);

        vm.assertEq(rounds.endOf(3), START + 4 * LENGTH);
        vm.assertEq(rounds.startOf(4), START + 4 * LENGTH);
        vm.assertEq(rounds.endOf(4), START + 4 * LENGTH + 60);
        vm.assertEq(rounds.roundAt(START + 4 * LENGTH - 1), 3);
        vm.assertEq(rounds.roundAt(START + 4 * LENGTH + 59), 4);
        vm.assertEq(rounds.roundAt(START + 4 * LENGTH + 60), 5);
        vm.assertEq(rounds.roundAt(START), 0);
    }

    function test_ALaterChangeVoidsThoseAnnouncedAfterIt() public {
        rounds.setSchedule(2, 30);
        rounds.setSchedule(5, 50);
        rounds.setSchedule(3, 40);
        vm.assertEq(rounds.startOf(3), START + 2 * LENGTH + 30);
        vm.assertEq(rounds.endOf(5), START + 2 * LENGTH + 30 + 3 * 40);
        rounds.setSchedule(1, 10);
        vm.assertEq(rounds.endOf(5), START + LENGTH + 5 * 10);
    }

    function test_RewritesRoundZeroBeforeTheStart() public {
        vm.warp(START - 1);
        rounds.setSchedule(0, 5);
        rounds.setEnvironment(0, bytes32("other"));
        vm.assertEq(rounds.startOf(0), START);
        vm.assertEq(rounds.startOf(2), START + 10);
        vm.assertEq(rounds.environmentOf(0), bytes32("other"));
    }

    function test_ChangesTheEnvironmentOfRoundsToCome() public {
        vm.expectEmit(address(rounds));
        emit IRounds.EnvironmentSet(2, bytes32("two"));
        rounds.setEnvironment(2, bytes32("two"));
        rounds.setEnvironment(9, bytes32("nine"));
        vm.assertEq(rounds.environmentOf(1), ENVIRONMENT);
        vm.assertEq(rounds.environmentOf(8), bytes32("two"));
        vm.assertEq(rounds.environmentOf(9), bytes32("nine"));
        rounds.setEnvironment(4, bytes32("four"));
        vm.assertEq(rounds.environmentOf(3), bytes32("two"));
        vm.assertEq(rounds.environmentOf(9), bytes32("four"));
    }

    function test_RevertWhen_TheRoundHasBegun() public {
        enterRound(3);
        vm.expectRevert(abi.encodeWithSelector(IRounds.Rounds_AlreadyBegun.selector, 3, 4));
        rounds.setSchedule(3, 60);
        vm.expectRevert(abi.encodeWithSelector(IRounds.Rounds_AlreadyBegun.selector, 0, 4));
        rounds.setEnvironment(0, bytes32("late"));
    }

    function test_RevertWhen_ChangedToNothing() public {
        vm.expectRevert(abi.encodeWithSelector(IRounds.Rounds_ZeroLength.selector, 1));
        rounds.setSchedule(1, 0);
        vm.expectRevert(abi.encodeWithSelector(IRounds.Rounds_ZeroEnvironment.selector, 1));
        rounds.setEnvironment(1, 0);
    }

    function test_RevertWhen_ASpanStartsBeyondUint40() public {
        uint256 startsAtSec = START + uint256(type(uint64).max) * LENGTH;
        vm.expectRevert(abi.encodeWithSelector(IRounds.Rounds_StartTooLate.selector, startsAtSec));
        rounds.setSchedule(type(uint64).max, 60);
    }

    function test_ASpanMayStartAtTheLastSecondOfUint40() public {
        uint64 round = 50_000_000_000;
        uint40 startsAtSec = uint40(type(uint40).max - round * LENGTH);
        Rounds late = new Rounds(address(this), startsAtSec, LENGTH, ENVIRONMENT);
        late.setSchedule(round, 60);
        vm.assertEq(late.startOf(round), type(uint40).max);
    }

    function test_RevertWhen_ATimeIsBeyondEveryRound() public {
        uint256 last = START + (uint256(type(uint64).max) + 1) * LENGTH - 1;
        vm.assertEq(rounds.roundAt(last), type(uint64).max);
        vm.expectRevert(
            abi.encodeWithSignature("SafeCastOverflowedUintDowncast(uint8,uint256)", 64, uint256(type(uint64).max) + 1)
        );
        rounds.roundAt(last + 1);
    }

    function test_RevertWhen_ChangedWithoutTheRole() public {
        expectMissingRole(ALICE, rounds.SCHEDULE_MANAGER_ROLE());
        vm.prank(ALICE);
        rounds.setSchedule(1, 60);
        expectMissingRole(ALICE, rounds.ENVIRONMENT_MANAGER_ROLE());
        vm.prank(ALICE);
        rounds.setEnvironment(1, bytes32("mine"));
    }

    /// @dev With any spans, each second is in exactly the round whose bounds it lies in, and rounds leave no gap.
    function testFuzz_EverySecondIsInOneRound(uint256 seed, uint64 secondsIn) public {
        for (uint64 from = 1; from < 40;) {
            rounds.setSchedule(from, uint32(bound(seed, 1, 100)));
            seed = uint256(keccak256(abi.encode(seed)));
            from += uint64(bound(seed, 1, 10));
        }
        uint256 timestamp = START + bound(secondsIn, 0, 10_000);
        uint64 round = rounds.roundAt(timestamp);
        vm.assertLe(rounds.startOf(round), timestamp);
        vm.assertLe(timestamp + 1, rounds.endOf(round));
        vm.assertEq(rounds.endOf(round), rounds.startOf(round + 1));
    }

    /// @dev Address of this contract's next creation: it has made five.
    function addressOfNext() internal view returns (address next) {
        return
            address(
                uint160(
                    uint256(keccak256(abi.encodePacked(hex"d694", address(this), uint8(vm.getNonce(address(this))))))
                )
            );
    }
}
