// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IRolloutCommitments} from "../../src/interfaces/IRolloutCommitments.sol";
import {IAppeals} from "../../src/interfaces/IAppeals.sol";
import {AppealFixture} from "./AppealFixture.sol";
import {Thief} from "./Thief.sol";

/// @dev Appellants, peers and seats that work against the contract of challenges.
contract AttacksTest is AppealFixture {
    Thief internal thief;

    function setUp() public override {
        super.setUp();
        thief = new Thief(challenges);
        vm.deal(address(thief), 1 ether);
        // Balances of others in the contract, for a thief to take.
        vm.deal(address(challenges), 1 ether);
    }

    /// @dev Paid, it tries to be paid again, to close its case again, and to judge its seats.
    function test_AnAppellantThatReentersGetsItsOwnBondOnce() public {
        playSettled(300);
        appealAs(address(thief));
        playVerdict(800);
        enterRound(7);
        challenges.closeAppeal(0, solvers[0]);
        uint32[] memory one = new uint32[](1);
        thief.plan(abi.encodeCall(challenges.withdraw, (address(thief))));
        thief.plan(abi.encodeCall(challenges.closeAppeal, (0, solvers[0])));
        thief.plan(abi.encodeCall(challenges.appeal, (0, solvers[0])));
        thief.plan(abi.encodeCall(challenges.judgeSeats, (0, solvers[0], 1, one)));
        challenges.withdraw(address(thief));
        vm.assertTrue(thief.isCalling());
        vm.assertEq(thief.taken(), 1); // seats may be judged by anyone, at any time
        uint256 feesWei = 11 * (FIRST_BOND / 2 / 11);
        vm.assertEq(address(thief).balance, 1 ether - feesWei);
        vm.assertEq(address(challenges).balance, 1 ether + feesWei);
        expectScore(1, 800);
    }

    /// @dev Its second demand becomes due while it is paid for the first.
    function test_AChallengerThatClosesAnotherDemandWhileItIsPaidGetsBothBondsOnce() public {
        playDemandsOf(address(thief));
        (uint32 first, uint32 second) = (sampledAt(0, solvers[0], 0), sampledAt(0, solvers[0], 1));
        thief.plan(abi.encodeCall(challenges.closeDemand, (0, solvers[0], first)));
        thief.plan(abi.encodeCall(challenges.closeDemand, (0, solvers[0], second)));
        thief.plan(abi.encodeCall(challenges.withdraw, (address(thief))));
        challenges.closeDemand(0, solvers[0], first);
        challenges.withdraw(address(thief));
        vm.assertEq(thief.taken(), 2);
        vm.assertEq(address(thief).balance, 1 ether);
        vm.assertEq(address(challenges).balance, 1 ether);
        vm.assertEq(challenges.creditOf(address(thief)), 0);
    }

    /// @dev Its credit stays in the contract; no other account waits for it.
    function test_AnAppellantThatTakesNoCoinsBlocksNobody() public {
        playSettled(300);
        appealAs(address(thief));
        thief.refuse();
        playVerdict(300);
        enterRound(7);
        challenges.closeAppeal(0, solvers[0]);
        judgeAll(1, 11);
        for (uint256 i = 0; i < 11; ++i) challenges.withdraw(registry.accountOf(juries[1][i]));
        challenges.withdraw(registry.accountOf(solvers[0]));
        vm.assertEq(address(challenges).balance, 1 ether + ((FIRST_BOND / 2) % 11));
    }

    /// @dev A jury of no seat, or of one, reaches no verdict; the bond is returned.
    function test_AJuryOfNobodyLetsTheScoreStand() public {
        playJuryOf(0);
        expectScore(1, 300);
        vm.assertEq(challenges.creditOf(APPELLANT), FIRST_BOND);
    }

    function test_OneSeatAloneOverturnsNothing() public {
        playJuryOf(1);
        expectScore(1, 300);
        // The seat that came is paid.
        vm.assertEq(challenges.creditOf(APPELLANT), FIRST_BOND / 2);
    }

    function test_TwoSeatsAreAJury() public {
        playJuryOf(2);
        expectScore(1, 900);
        vm.assertEq(challenges.creditOf(APPELLANT), FIRST_BOND / 2);
    }

    /// @dev The jury is drawn by a beacon that nobody recorded: no seat is blamed for it, and the second level, of all
    /// seats, needs none.
    function test_ASecondLevelJudgesWhereTheFirstHadNoBeacon() public {
        playSettled(300);
        appealAs(APPELLANT);
        vm.warp(rounds.startOf(5));
        openBeacon(rounds, 4);
        rounds.drawBeacon(4);
        enterRound(6);
        appealAs(SECOND);
        playVerdict(800);
        challenges.closeAppeal(0, solvers[0]);
        expectScore(1, 800);
        judgeAll(1, 11);
        vm.assertEq(challenges.creditOf(APPELLANT), FIRST_BOND);
        vm.assertEq(challenges.creditOf(SECOND), FIRST_BOND + (FIRST_BOND % 13));
    }

    /// @dev Two leaves of the first solver are demanded in round 1, and never shown.
    function playDemandsOf(address account) internal {
        IRolloutCommitments.Work memory work = commitDrawn(solvers[0]);
        enterRound(1);
        for (uint32 place = 0; place < 2; ++place) {
            vm.prank(account);
            challenges.demandLeaf{value: BOND}(0, solvers[0], work, sampleAt(place));
        }
        enterRound(2);
        enterRound(3);
    }

    /// @dev Thirteen seats give the first solver 300; so many of them still sit when it is appealed, and say 900.
    function playJuryOf(uint256 left) internal {
        commitDrawn(solvers[0]);
        commitRollouts(solvers[1]);
        enterRound(1);
        bytes32[] memory committee = votes.committeeOf(0, 0);
        for (uint256 i = 0; i < 5; ++i) commitBallot(ballotOf(0, committee[i], scoresOf(300, 400)));
        enterRound(2);
        for (uint256 i = 0; i < 5; ++i) revealBallot(ballotOf(0, committee[i], scoresOf(300, 400)));
        for (uint256 i = left; i < 13; ++i) votes.removeEvaluator(evaluators[i]);
        enterRound(3);
        votes.settle(0, 0, firstSolvers(2));
        appealAs(APPELLANT);
        playVerdict(900);
        vm.expectRevert(abi.encodeWithSelector(IAppeals.Challenges_NotAppealable.selector, 0, solvers[0], 1, 6));
        challenges.appeal{value: 2 * FIRST_BOND}(0, solvers[0]);
        challenges.closeAppeal(0, solvers[0]);
        judgeAll(1, left);
    }
}
