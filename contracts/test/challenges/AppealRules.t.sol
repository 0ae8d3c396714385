// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IJury} from "../../src/interfaces/IJury.sol";
import {IAppeals} from "../../src/interfaces/IAppeals.sol";
import {IRoundBeacons} from "../../src/interfaces/IRoundBeacons.sol";
import {IRolloutCommitments} from "../../src/interfaces/IRolloutCommitments.sol";
import {IRulings} from "../../src/interfaces/IRulings.sol";
import {AppealFixture} from "./AppealFixture.sol";

/// @dev Calls that a case refuses.
contract AppealRulesTest is AppealFixture {
    function test_ViewsShowTheCase() public {
        playSettled(300);
        appealAs(APPELLANT);
        IAppeals.CaseView memory state = challenges.caseOf(0, solvers[0]);
        vm.assertEq(state.levels, 1);
        vm.assertFalse(state.isClosed);
        vm.assertEq(state.settledOutcome, 1);
        vm.assertEq(state.settledMilli, 300);
        vm.assertEq(state.last.appellant, APPELLANT);
        vm.assertEq(state.last.openedRound, 3);
        vm.assertEq(state.last.seats, 13);
        vm.assertEq(state.last.drawn, 11);
        vm.assertEq(state.last.bondWei, FIRST_BOND);
        vm.assertEq(challenges.appealBond(2), 2 * FIRST_BOND);
        enterRound(4);
        bytes32[] memory jury = challenges.juryOf(0, solvers[0]);
        for (uint256 i = 0; i < 11; ++i) {
            vm.assertTrue(jury[i] != 0);
            for (uint256 j = 0; j < i; ++j) vm.assertTrue(jury[i] != jury[j]);
        }
    }

    function test_RevertWhen_ThereIsNoSuchAppeal() public {
        for (uint8 level = 0; level <= 3; level += 3) {
            vm.expectRevert(abi.encodeWithSelector(IAppeals.Challenges_NoLevel.selector, level, 2));
            challenges.appealBond(level);
        }
    }

    function test_RevertWhen_TheRoundIsTheLastNumber() public {
        uint64 last = type(uint64).max;
        vm.expectRevert(
            abi.encodeWithSelector(
                IAppeals.Challenges_NotAppealable.selector,
                last,
                solvers[0],
                0,
                rounds.currentRound()
            )
        );
        challenges.appeal{value: FIRST_BOND}(last, solvers[0]);
    }

    function test_RevertWhen_AppealedOutOfTime() public {
        playSettled(300);
        enterRound(4);
        expectNotAppealable(0, 4);
        challenges.appeal{value: FIRST_BOND}(0, solvers[0]);
    }

    function test_RevertWhen_NothingIsSettled() public {
        commitDrawn(solvers[0]);
        enterRound(3);
        expectNotAppealable(0, 3);
        challenges.appeal{value: FIRST_BOND}(0, solvers[0]);
    }

    function test_RevertWhen_TheOutcomeIsTheChains() public {
        IRolloutCommitments.Work memory work = commitDrawn(solvers[0]);
        enterRound(3);
        challenges.challengeLeaf(0, solvers[0], work, drawnLeaf(0, solvers[0]), proof());
        expectNotAppealable(5, 3);
        challenges.appeal{value: FIRST_BOND}(0, solvers[0]);
    }

    function test_RevertWhen_AppealedWhileItIsJudgedOrTooOften() public {
        playSettled(300);
        appealAs(APPELLANT);
        expectNotAppealable(1, 3);
        challenges.appeal{value: FIRST_BOND}(0, solvers[0]);
        playVerdict(800);
        enterRound(7);
        expectNotAppealable(1, 7);
        challenges.appeal{value: FIRST_BOND}(0, solvers[0]);
        challenges.closeAppeal(0, solvers[0]);
        expectNotAppealable(1, 7);
        challenges.appeal{value: FIRST_BOND}(0, solvers[0]);
    }

    function test_RevertWhen_AllSeatsHaveJudged() public {
        playSettled(300);
        appealAs(APPELLANT);
        playVerdict(800);
        appealAs(SECOND);
        playVerdict(800);
        expectNotAppealable(1, 9);
        challenges.appeal{value: 4 * FIRST_BOND}(0, solvers[0]);
    }

    function test_RevertWhen_TheBondIsAnother() public {
        playSettled(300);
        vm.expectRevert(abi.encodeWithSelector(IAppeals.Challenges_WrongBond.selector, 1, FIRST_BOND));
        challenges.appeal{value: 1}(0, solvers[0]);
    }

    function test_RevertWhen_ThereIsNoCase() public {
        bytes memory none = abi.encodeWithSelector(IAppeals.Challenges_NoCase.selector, 0, solvers[0]);
        vm.expectRevert(none);
        challenges.juryOf(0, solvers[0]);
        vm.expectRevert(none);
        challenges.commitVerdict(0, solvers[0], 0, evaluators[0], SALT);
        vm.expectRevert(none);
        challenges.revealVerdict(0, solvers[0], 0, 0, SALT);
        vm.expectRevert(none);
        challenges.closeAppeal(0, solvers[0]);
        vm.expectRevert(none);
        judgeAll(1, 1);
        playSettled(300);
        appealAs(APPELLANT);
        vm.expectRevert(none);
        judgeAll(1, 1);
        playVerdict(800);
        enterRound(7);
        challenges.closeAppeal(0, solvers[0]);
        vm.expectRevert(none);
        judgeAll(0, 1);
        vm.expectRevert(none);
        judgeAll(2, 1);
        vm.expectRevert(none);
        challenges.closeAppeal(0, solvers[0]);
    }

    function test_RevertWhen_AStepComesInAnotherRound() public {
        playSettled(300);
        appealAs(APPELLANT);
        vm.expectRevert(abi.encodeWithSelector(IAppeals.Challenges_WrongRound.selector, 4, 3));
        challenges.commitVerdict(0, solvers[0], 0, evaluators[0], SALT);
        vm.expectRevert(abi.encodeWithSelector(IAppeals.Challenges_WrongRound.selector, 5, 3));
        challenges.revealVerdict(0, solvers[0], 0, 0, SALT);
        playVerdict(800);
        vm.expectRevert(abi.encodeWithSelector(IAppeals.Challenges_WrongRound.selector, 7, 6));
        challenges.closeAppeal(0, solvers[0]);
        appealAs(SECOND);
        enterRound(8);
        vm.expectRevert(abi.encodeWithSelector(IAppeals.Challenges_WrongRound.selector, 9, 8));
        challenges.closeAppeal(0, solvers[0]);
    }

    function test_RevertWhen_TheSeatIsNotDrawnOrAnothers() public {
        playSettled(300);
        appealAs(APPELLANT);
        enterRound(4);
        bytes32[] memory jury = challenges.juryOf(0, solvers[0]);
        vm.expectRevert(abi.encodeWithSelector(IJury.Jury_NotSeatAccount.selector, jury[0], address(this)));
        challenges.commitVerdict(0, solvers[0], 0, jury[0], SALT);
        address account = registry.accountOf(jury[0]);
        vm.expectRevert(abi.encodeWithSelector(IJury.Jury_NotDrawn.selector, 1, jury[0]));
        vm.prank(account);
        challenges.commitVerdict(0, solvers[0], 1, jury[0], SALT);
        vm.expectRevert(abi.encodeWithSelector(IJury.Jury_NotDrawn.selector, 11, bytes32(0)));
        vm.prank(account);
        challenges.commitVerdict(0, solvers[0], 11, jury[0], SALT);
    }

    function test_RevertWhen_ThePeerOrAnAppellantWouldJudge() public {
        playSettled(300);
        address seated = registry.accountOf(evaluators[4]);
        vm.deal(seated, 1 ether);
        appealAs(seated);
        enterRound(4);
        vm.expectRevert(abi.encodeWithSelector(IAppeals.Challenges_OwnCase.selector, seated));
        vm.prank(seated);
        challenges.commitVerdict(0, solvers[0], 0, evaluators[4], SALT);
        address account = registry.accountOf(solvers[0]);
        vm.expectRevert(abi.encodeWithSelector(IAppeals.Challenges_OwnCase.selector, account));
        vm.prank(account);
        challenges.commitVerdict(0, solvers[0], 0, solvers[0], SALT);
    }

    function test_RevertWhen_TheBeaconOfTheAppealIsMissing() public {
        playSettled(300);
        appealAs(APPELLANT);
        vm.warp(rounds.startOf(4));
        address account = registry.accountOf(evaluators[0]);
        vm.expectRevert(abi.encodeWithSelector(IRoundBeacons.Rounds_BeaconNotFixed.selector, 3));
        vm.prank(account);
        challenges.commitVerdict(0, solvers[0], 0, evaluators[0], SALT);
        vm.expectRevert(abi.encodeWithSignature("Challenges_NoBeacon(uint64)", 3));
        challenges.juryOf(0, solvers[0]);
    }

    function test_RevertWhen_CommittedTwiceOrRevealedOtherwise() public {
        playSettled(300);
        appealAs(APPELLANT);
        enterRound(4);
        bytes32 seat = challenges.juryOf(0, solvers[0])[0];
        commitVerdictAs(registry.accountOf(seat), 1, 0, seat, 700);
        address account = registry.accountOf(seat);
        vm.expectRevert(abi.encodeWithSelector(IJury.Jury_AlreadyCommitted.selector, 0));
        vm.prank(account);
        challenges.commitVerdict(0, solvers[0], 0, seat, SALT);
        enterRound(5);
        vm.expectRevert(abi.encodeWithSelector(IAppeals.Challenges_ScoreOutOfRange.selector, 1001));
        challenges.revealVerdict(0, solvers[0], 0, 1001, SALT);
        bytes32 other = keccak256(
            abi.encode(
                block.chainid,
                address(challenges),
                uint64(0),
                solvers[0],
                uint8(1),
                uint32(0),
                seat,
                uint16(701),
                SALT
            )
        );
        vm.expectRevert(abi.encodeWithSelector(IJury.Jury_NotVerdict.selector, 0, other));
        challenges.revealVerdict(0, solvers[0], 0, 701, SALT);
        challenges.revealVerdict(0, solvers[0], 0, 700, SALT);
    }

    function test_RevertWhen_AnotherAccountRules() public {
        bytes memory refusal = abi.encodeWithSelector(IRulings.RewardVotes_NotChallenges.selector, address(this));
        vm.expectRevert(refusal);
        votes.openAppeal(0, solvers[0], 0);
        vm.expectRevert(refusal);
        votes.closeAppeal(0, solvers[0], 0, 0, 0);
        vm.expectRevert(refusal);
        votes.blame(0, evaluators[0], IRulings.Fault.Sealed, address(0));
    }

    function expectNotAppealable(uint8 outcome, uint64 current) internal {
        vm.expectRevert(
            abi.encodeWithSelector(IAppeals.Challenges_NotAppealable.selector, 0, solvers[0], outcome, current)
        );
    }
}
