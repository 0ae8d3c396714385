// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IAppeals} from "../../src/interfaces/IAppeals.sol";
import {AppealFixture} from "./AppealFixture.sol";

/// @dev Outcomes of a case if seats do not find the work.
contract AppealsOfGoneWorkTest is AppealFixture {
    /// @dev Three seats of five that call nothing perfect, which they alone have: nobody else could show that it is nothing.
    function test_AScoreOfWhatNobodyFindsIsTakenAway() public {
        playSettled([1000, GONE, 1000, GONE, 1000]);
        expectScore(1, 1000);
        appealAs(APPELLANT);
        uint16[] memory scores = sameScores(GONE);
        (scores[0], scores[1]) = (1000, SILENT);
        playVerdicts(scores);
        // It can still be appealed: it takes something.
        vm.expectRevert(abi.encodeWithSelector(IAppeals.Challenges_WrongRound.selector, 7, 6));
        challenges.closeAppeal(0, solvers[0]);
        enterRound(7);
        vm.expectEmit(address(challenges));
        emit IAppeals.AppealClosed(0, solvers[0], 2, 0, 1000, false);
        challenges.closeAppeal(0, solvers[0]);
        expectScore(2, 0);
        vm.assertEq(votes.points(solvers[0]), 0);
        uint256 each = FIRST_BOND / 2 / 9;
        vm.assertEq(challenges.creditOf(APPELLANT), FIRST_BOND - 9 * each);
        judgeAll(1, 11);
        for (uint256 i = 2; i < 11; ++i) vm.assertEq(challenges.creditOf(registry.accountOf(juries[1][i])), each);
        // Nobody is blamed for a score of what is gone by now.
        vm.assertEq(challenges.creditOf(registry.accountOf(juries[1][0])), 0);
        for (uint256 i = 0; i < 5; ++i) vm.assertEq(votes.missesOf(evaluators[i]), 0);
    }

    /// @dev A seat never reads its own account's work, so that its `unavailable` is not a finding.
    function test_AnOwnSeatThatFoundNothingTakesNothing() public {
        commitBoth();
        enterRound(1);
        rounds.drawBeacon(0);
        bytes32 own = votes.committeeOf(0, 0)[1];
        uint256 number = 0;
        while (evaluators[number] != own) ++number;
        enrolNow(100 + number, registry.accountOf(appealed));
        settleBy([uint16(1000), GONE, 1000, 1000, 1000]);
        appealAs(APPELLANT);
        enterRound(4);
        rounds.drawBeacon(3);
        uint16[] memory scores = sameScores(GONE);
        bytes32[] memory jury = challenges.juryOf(0, appealed);
        for (uint256 i = 0; i < jury.length; ++i) if (jury[i] == own) scores[i] = SILENT;
        playVerdicts(scores);
        challenges.closeAppeal(0, appealed);
        expectScore(1, 1000);
    }

    /// @dev A flood of appeals leaves jurors no time: those without time to read abstain.
    function test_AScoreStandsUnlessMostOfTheJuryLookedAndFoundNothing() public {
        playSettled([700, GONE, 700, 700, 700]);
        appealAs(APPELLANT);
        uint16[] memory scores = sameScores(SILENT);
        for (uint256 i = 0; i < 6; ++i) scores[i] = i < 5 ? GONE : 700;
        playVerdicts(scores);
        enterRound(7);
        challenges.closeAppeal(0, solvers[0]);
        expectScore(1, 700);
        judgeAll(1, 11);
        for (uint256 i = 0; i < 11; ++i) vm.assertEq(votes.missesOf(juries[1][i]), 0);
    }

    function test_ASecondJuryThatFindsItPutsItBack() public {
        playSettled([300, 300, GONE, 300, 300]);
        appealAs(APPELLANT);
        playVerdict(GONE);
        appealAs(SECOND);
        playVerdict(310);
        challenges.closeAppeal(0, solvers[0]);
        expectScore(1, 310);
        vm.assertEq(challenges.creditOf(APPELLANT), 0);
        vm.assertLe(FIRST_BOND, challenges.creditOf(SECOND));
    }

    /// @dev A first jury without a verdict, whose seats found what the committee did, and a second that finds nothing.
    function test_JurorsOfAScoreThatIsTakenAwayAreNotBlamed() public {
        playSettled([800, 800, GONE, 800, 800]);
        appealAs(APPELLANT);
        uint16[] memory scores = sameScores(SILENT);
        for (uint256 i = 0; i < 7; ++i) scores[i] = i < 4 ? GONE : 800;
        playVerdicts(scores);
        appealAs(SECOND);
        playVerdict(GONE);
        challenges.closeAppeal(0, solvers[0]);
        expectScore(2, 0);
        judgeAll(1, 11);
        judgeAll(2, 13);
        for (uint256 i = 0; i < 13; ++i) vm.assertEq(votes.missesOf(evaluators[i]), 0);
    }

    function test_WhatAFirstJuryFoundIsNotTakenAwayByASecond() public {
        playSettled([300, 300, GONE, 300, 300]);
        appealAs(APPELLANT);
        playVerdict(600);
        appealAs(SECOND);
        playVerdict(GONE);
        challenges.closeAppeal(0, solvers[0]);
        expectScore(1, 600);
    }

    /// @dev A peer that stops serving its bundle must not be able to overturn what honest seats found.
    /// The appellant of withheld garbage pays for each seat that it calls, and calls no more seats.
    function test_ABundleThatIsGoneChangesNothingAndIsPaidFor() public {
        playSettled(300);
        appealAs(APPELLANT);
        uint16[] memory scores = sameScores(GONE);
        (scores[0], scores[1], scores[2]) = (SILENT, SILENT, 900);
        playVerdicts(scores);
        vm.expectRevert(abi.encodeWithSelector(IAppeals.Challenges_NotAppealable.selector, 0, solvers[0], 1, 6));
        vm.prank(SECOND);
        challenges.appeal{value: 2 * FIRST_BOND}(0, solvers[0]);
        // No round later than that.
        challenges.closeAppeal(0, solvers[0]);
        expectScore(1, 300);
        uint256 each = FIRST_BOND / 2 / 8;
        vm.assertEq(challenges.creditOf(APPELLANT), FIRST_BOND - 8 * each);
        // However often they are judged.
        for (uint256 i = 0; i < 2; ++i) judgeAll(1, 11);
        for (uint256 i = 3; i < 11; ++i) {
            vm.assertEq(challenges.creditOf(registry.accountOf(juries[1][i])), each);
            vm.assertEq(votes.missesOf(juries[1][i]), 0);
        }
        vm.assertEq(challenges.creditOf(registry.accountOf(juries[1][2])), 0);
    }

    function test_ABundleThatHalfOfTheJuryHadIsJudged() public {
        playSettled(300);
        appealAs(APPELLANT);
        uint16[] memory scores = sameScores(GONE);
        for (uint256 i = 0; i < 6; ++i) scores[i] = 900;
        playVerdicts(scores);
        enterRound(7);
        challenges.closeAppeal(0, solvers[0]);
        expectScore(1, 900);
    }
}
