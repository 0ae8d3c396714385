// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ICredits} from "../../src/interfaces/ICredits.sol";
import {IAppeals} from "../../src/interfaces/IAppeals.sol";
import {IChallengeBonds} from "../../src/interfaces/IChallengeBonds.sol";
import {IRewardVotes} from "../../src/interfaces/IRewardVotes.sol";
import {Median} from "../Median.sol";
import {AppealFixture} from "./AppealFixture.sol";

/// @dev Outcomes of a case.
contract AppealsTest is AppealFixture {
    /// @dev One seat is silent and one does not reveal.
    function test_NamesTheSeatsThatAreLeftToJudge() public {
        playSettled(300);
        appealAs(APPELLANT);
        uint16[] memory scores = sameScores(900);
        (scores[2], scores[4]) = (SILENT, SEALED);
        playVerdicts(scores);
        enterRound(7);
        challenges.closeAppeal(0, solvers[0]);
        vm.assertEq(challenges.leftToJudge(0, solvers[0], 1), 2 ** 11 - 1 - 2 ** 2);
        vm.assertEq(challenges.leftToJudge(0, solvers[0], 2), 0);
        judgeAll(1, 10);
        vm.assertEq(challenges.leftToJudge(0, solvers[0], 1), 2 ** 10);
        judgeAll(1, 11);
        vm.assertEq(challenges.leftToJudge(0, solvers[0], 1), 0);
    }

    function test_AVerdictThatDiffersReplacesTheScore() public {
        playSettled(300);
        vm.expectEmit(address(challenges));
        emit IAppeals.AppealOpened(0, solvers[0], APPELLANT, 1, FIRST_BOND, 11);
        appealAs(APPELLANT);
        playVerdict(800);
        enterRound(7);
        vm.expectEmit(address(challenges));
        emit IAppeals.AppealClosed(0, solvers[0], 1, 800, 300, false);
        vm.expectEmit(address(challenges));
        emit ICredits.Credited(APPELLANT, FIRST_BOND / 2);
        challenges.closeAppeal(0, solvers[0]);
        expectScore(1, 800);
        // Half of it pays the seats.
        vm.assertEq(challenges.caseOf(0, solvers[0]).seatPayWei, FIRST_BOND / 2 / 11);
        vm.assertEq(challenges.creditOf(APPELLANT), FIRST_BOND / 2 + ((FIRST_BOND / 2) % 11));
        vm.assertEq(votes.earnedOf(solvers[0]), uint256(1_000 ether * 800) / 1_200);
    }

    /// @dev The others claim when the round is final, at first as if the appeal had given all that it could.
    function test_AnAppealDelaysNobodyElse() public {
        playSettled(300);
        appealAs(APPELLANT);
        enterRound(4);
        vm.assertEq(votes.earnedOf(solvers[0]), 0);
        vm.assertEq(votes.earnedOf(solvers[1]), uint256(1_000 ether * 400) / 1_400);
        nectar.claim(solvers[1]);
        enterRound(7);
        challenges.closeAppeal(0, solvers[0]);
        vm.assertEq(votes.earnedOf(solvers[0]), uint256(1_000 ether * 300) / 700);
        vm.assertEq(votes.earnedOf(solvers[1]), uint256(1_000 ether * 400) / 700);
        nectar.claim(solvers[0]);
        nectar.claim(solvers[1]);
        vm.assertLe(nectar.totalSupply(), 1_000 ether);
    }

    /// @dev Else a registration after the settlement, by accomplices, would save half of a stake.
    function test_AVoteIsBlamedWhereverItsSeatIsWhenItIsAppealed() public {
        playSettled(900);
        bytes32[] memory committee = votes.committeeOf(0, 0);
        uint256 i = 0;
        while (evaluators[i] != committee[2]) ++i;
        enrolNow(100 + i, registry.accountOf(solvers[0]));
        appealAs(APPELLANT);
        enrolNow(100 + i, accountNamed(100 + i));
        playVerdict(400);
        enterRound(7);
        challenges.closeAppeal(0, solvers[0]);
        for (uint256 position = 0; position < 5; ++position) vm.assertEq(votes.missesOf(committee[position]), 3);
    }

    function test_AScoreThatStandsCostsTheBondWhichPaysSeatsAndPeer() public {
        playSettled(300);
        appealAs(APPELLANT);
        playVerdict(320);
        enterRound(7);
        challenges.closeAppeal(0, solvers[0]);
        expectScore(1, 300);
        uint256 each = FIRST_BOND / 2 / 11;
        vm.assertEq(challenges.caseOf(0, solvers[0]).seatPayWei, each);
        vm.assertEq(challenges.creditOf(registry.accountOf(solvers[0])), FIRST_BOND / 2);
        bytes32[] memory jury = challenges.juryOf(0, solvers[0]);
        vm.expectEmit(address(challenges));
        emit IAppeals.SeatPaid(0, solvers[0], jury[0], 1, each);
        judgeAll(1, 11);
        judgeAll(1, 11);
        for (uint256 i = 0; i < 11; ++i) vm.assertEq(challenges.creditOf(registry.accountOf(jury[i])), each);
        vm.assertEq(challenges.creditOf(APPELLANT), FIRST_BOND / 2 - 11 * each);
    }

    function test_TellsOfEachVerdict() public {
        playSettled(300);
        appealAs(APPELLANT);
        enterRound(4);
        bytes32 seat = challenges.juryOf(0, solvers[0])[2];
        address account = registry.accountOf(seat);
        vm.expectEmit(address(challenges));
        emit IAppeals.VerdictCommitted(0, solvers[0], seat, 1, 2);
        commitVerdictAs(account, 1, 2, seat, 700);
        enterRound(5);
        vm.expectEmit(address(challenges));
        emit IAppeals.VerdictRevealed(0, solvers[0], seat, 1, 2, 700);
        challenges.revealVerdict(0, solvers[0], 2, 700, SALT);
        vm.assertEq(challenges.FIRST_JURY(), 11);
        vm.assertEq(challenges.MAX_LEVELS(), 2);
    }

    function test_APeerThatAppealsInVainPaysTheSeatsAlone() public {
        playSettled(300);
        address account = registry.accountOf(solvers[0]);
        vm.deal(account, 1 ether);
        appealAs(account);
        playVerdict(300);
        enterRound(7);
        challenges.closeAppeal(0, solvers[0]);
        vm.assertEq(challenges.caseOf(0, solvers[0]).seatPayWei, FIRST_BOND / 11);
        vm.assertEq(challenges.creditOf(account), FIRST_BOND % 11);
    }

    /// @dev Its votes lie in the second word of a ballot: the first peer's, in the first, are right.
    function test_TheSeventeenthPeersSeatsAreJudgedByItsOwnVotes() public {
        commitRollouts(solvers[1]);
        for (uint256 i = 0; i < 15; ++i) commitRollouts(enrol(1_000 + i, accountNamed(1_000 + i)));
        commitRollouts(appealed);
        uint16[] memory scores = new uint16[](17);
        (scores[0], scores[16]) = (800, 100);
        enterRound(1);
        IRewardVotes.Ballot[5] memory ballots;
        bytes32[] memory committee = votes.committeeOf(0, 0);
        for (uint256 i = 0; i < 5; ++i) commitBallot(ballots[i] = ballotOf(0, committee[i], scores));
        enterRound(2);
        for (uint256 i = 0; i < 5; ++i) revealBallot(ballots[i]);
        enterRound(3);
        votes.settle(0, 0, firstSolvers(1));
        vm.assertEq(votes.points(appealed), 100);
        appealAs(APPELLANT);
        playVerdict(800);
        enterRound(7);
        challenges.closeAppeal(0, appealed);
        vm.assertEq(votes.points(appealed), 800);
        for (uint256 i = 0; i < 5; ++i) vm.assertEq(votes.missesOf(committee[i]), 3);
    }

    function test_ASecondAppealGoesToAllSeatsAndIsFinal() public {
        playSettled(300);
        appealAs(APPELLANT);
        playVerdict(800);
        appealAs(SECOND);
        vm.assertEq(challenges.caseOf(0, solvers[0]).last.drawn, 13);
        playVerdict(310);
        challenges.closeAppeal(0, solvers[0]);
        expectScore(1, 310);
        // The seat that called 800 wrong is upheld, and has the other's half; the one that called 300 wrong is not.
        vm.assertEq(challenges.creditOf(APPELLANT), 0);
        uint256 each = (3 * FIRST_BOND) / 2 / 13;
        vm.assertEq(challenges.creditOf(SECOND), 3 * FIRST_BOND - 13 * each);
        bytes32 seat = juries[1][0];
        uint8 missesBefore = votes.missesOf(seat);
        judgeAll(1, 11);
        vm.assertEq(votes.missesOf(seat), missesBefore + 3);
        judgeAll(2, 13);
        vm.assertEq(challenges.creditOf(registry.accountOf(evaluators[0])), each);
    }

    function test_BothJuriesAreSamplesOfMoreSeats() public {
        for (uint256 i = 13; i < 25; ++i) votes.admitEvaluator(enrol(100 + i, accountNamed(100 + i)));
        playSettled(300);
        appealAs(APPELLANT);
        vm.assertEq(challenges.caseOf(0, solvers[0]).last.drawn, 11);
        playVerdict(800);
        appealAs(SECOND);
        vm.assertEq(challenges.caseOf(0, solvers[0]).last.seats, 25);
        vm.assertEq(challenges.caseOf(0, solvers[0]).last.drawn, challenges.SECOND_JURY());
        enterRound(7);
        vm.assertEq(challenges.juryOf(0, solvers[0]).length, 23);
    }

    function test_ASecondAppealMayConfirmTheFirst() public {
        playSettled(300);
        appealAs(APPELLANT);
        playVerdict(800);
        appealAs(SECOND);
        playVerdict(800);
        challenges.closeAppeal(0, solvers[0]);
        expectScore(1, 800);
        uint256 each = (3 * FIRST_BOND) / 2 / 24;
        vm.assertEq(challenges.caseOf(0, solvers[0]).seatPayWei, each);
        vm.assertEq(challenges.creditOf(APPELLANT), (3 * FIRST_BOND) / 2);
        vm.assertEq(challenges.creditOf(SECOND), (3 * FIRST_BOND) / 2 - 24 * each);
    }

    function test_BothAppellantsMayBeRight() public {
        playSettled(300);
        appealAs(APPELLANT);
        playVerdict(500);
        appealAs(SECOND);
        playVerdict(800);
        challenges.closeAppeal(0, solvers[0]);
        expectScore(1, 800);
        vm.assertEq(challenges.creditOf(APPELLANT), FIRST_BOND / 2);
        uint256 each = (3 * FIRST_BOND) / 2 / 13;
        vm.assertEq(challenges.creditOf(SECOND), (5 * FIRST_BOND) / 2 - 13 * each);
    }

    function test_SeatsThatWereOverturnedAreBlamedAndUnavailableIsNot() public {
        playSettled([uint16(300), 300, 300, GONE, 790]);
        bytes32[] memory committee = votes.committeeOf(0, 0);
        appealAs(APPELLANT);
        playVerdict(800);
        enterRound(7);
        challenges.closeAppeal(0, solvers[0]);
        for (uint256 i = 0; i < 5; ++i) vm.assertEq(votes.missesOf(committee[i]), i < 3 ? 3 : 0);
    }

    /// @dev Its votes are at another place of each ballot.
    function test_SeatsThatScoredAnotherThanTheFirstOfAShardAreBlamed() public {
        appealed = solvers[1];
        playSettled([uint16(300), 300, 300, GONE, 790]);
        bytes32[] memory committee = votes.committeeOf(0, 0);
        appealAs(APPELLANT);
        playVerdict(800);
        enterRound(7);
        challenges.closeAppeal(0, appealed);
        expectScore(1, 800);
        for (uint256 i = 0; i < 5; ++i) vm.assertEq(votes.missesOf(committee[i]), i < 3 ? 3 : 0);
    }

    function test_WhoDoesNotRevealIsBlamedAndWhoSaysNothingIsNot() public {
        playSettled(300);
        appealAs(APPELLANT);
        uint16[] memory scores = sameScores(800);
        (scores[0], scores[1]) = (SILENT, SEALED);
        playVerdicts(scores);
        bytes32[] memory jury = challenges.juryOf(0, solvers[0]);
        enterRound(7);
        challenges.closeAppeal(0, solvers[0]);
        (uint8 first, uint8 second) = (votes.missesOf(jury[0]), votes.missesOf(jury[1]));
        judgeAll(1, 11);
        judgeAll(1, 11);
        vm.assertEq(votes.missesOf(jury[0]), first);
        vm.assertEq(votes.missesOf(jury[1]), second + 3);
    }

    function test_WithoutSeatsTheScoreStandsAndBondsGoBack() public {
        playSettled(300);
        appealAs(APPELLANT);
        playVerdict(SILENT);
        appealAs(SECOND);
        playVerdict(SILENT);
        challenges.closeAppeal(0, solvers[0]);
        expectScore(1, 300);
        vm.assertEq(challenges.creditOf(APPELLANT), FIRST_BOND);
        vm.assertEq(challenges.creditOf(SECOND), 2 * FIRST_BOND);
    }

    /// @dev Else seats of a friend would overturn what most of the jury had no time to read.
    function test_SeatsThatSayNothingCountForWhatStands() public {
        playSettled(700);
        appealAs(APPELLANT);
        uint16[] memory scores = sameScores(SILENT);
        for (uint256 i = 0; i < 7; ++i) scores[i] = i < 5 ? 0 : 700;
        playVerdicts(scores);
        enterRound(7);
        challenges.closeAppeal(0, solvers[0]);
        expectScore(1, 700);
        // No verdict: all that came are paid, and the other half of the bond goes back.
        vm.assertEq(challenges.caseOf(0, solvers[0]).seatPayWei, FIRST_BOND / 2 / 7);
        vm.assertLe(FIRST_BOND / 2, challenges.creditOf(APPELLANT));
        judgeAll(1, 11);
        for (uint256 i = 0; i < 11; ++i) vm.assertEq(votes.missesOf(juries[1][i]), 0);
    }

    function test_SixOfElevenReplaceTheScore() public {
        playSettled(700);
        appealAs(APPELLANT);
        uint16[] memory scores = sameScores(SILENT);
        for (uint256 i = 0; i < 6; ++i) scores[i] = 0;
        playVerdicts(scores);
        enterRound(7);
        challenges.closeAppeal(0, solvers[0]);
        expectScore(1, 0);
    }

    function test_AVerdictIsJudgedWhereALaterOneFails() public {
        playSettled(300);
        appealAs(APPELLANT);
        playVerdict(300);
        appealAs(SECOND);
        playVerdict(SILENT);
        challenges.closeAppeal(0, solvers[0]);
        vm.assertEq(challenges.creditOf(APPELLANT), 0);
        vm.assertEq(challenges.creditOf(SECOND), 2 * FIRST_BOND + ((FIRST_BOND / 2) % 11));
    }

    function test_APeerWithoutQuorumMayBeScored() public {
        commitDrawn(solvers[0]);
        commitRollouts(solvers[1]);
        enterRound(1);
        enterRound(3);
        votes.settle(0, 0, firstSolvers(2));
        appealAs(APPELLANT);
        playVerdict(600);
        enterRound(7);
        challenges.closeAppeal(0, solvers[0]);
        (uint8 outcome, uint16 scoreMilli) = votes.outcomeOf(0, solvers[0]);
        vm.assertEq(outcome, 1);
        vm.assertEq(scoreMilli, 600);
        vm.assertEq(votes.earnedOf(solvers[0]), 1_000 ether);
    }

    function test_ARoundWithoutABeaconHasNoVerdict() public {
        playSettled(300);
        appealAs(APPELLANT);
        vm.warp(rounds.startOf(7));
        challenges.closeAppeal(0, solvers[0]);
        vm.assertEq(challenges.creditOf(APPELLANT), FIRST_BOND);
    }

    /// @dev With any verdicts, the bonds are divided as the plain rule says, without a rest.
    function testFuzz_BondsAreDividedWhole(uint256 draw, uint16 settled) public {
        settled = settled % 1001;
        playSettled(settled);
        appealAs(APPELLANT);
        uint16[] memory first = randomScores(draw);
        playVerdicts(first);
        bool isSecond = draw % 2 == 0;
        uint16[] memory second = randomScores(draw >> 8);
        isSecond = isSecond && !isGone(first, 11);
        if (isSecond) {
            appealAs(SECOND);
            playVerdicts(second);
        } else enterRound(7);
        challenges.closeAppeal(0, solvers[0]);
        judgeAll(1, 11);
        if (isSecond) judgeAll(2, 13);
        requireDivided(isSecond ? 3 * FIRST_BOND : FIRST_BOND);
        requirePlain(first, second, settled, isSecond);
        uint256 earned = votes.earnedOf(solvers[0]) + votes.earnedOf(solvers[1]);
        vm.assertLe(earned, 1_000 ether);
        vm.assertLe(1_000 ether, earned + 2);
    }

    function requireDivided(uint256 bondsWei) internal view {
        uint256 owed = challenges.creditOf(APPELLANT) + challenges.creditOf(SECOND);
        owed += challenges.creditOf(registry.accountOf(solvers[0]));
        for (uint256 i = 0; i < 13; ++i) owed += challenges.creditOf(registry.accountOf(evaluators[i]));
        vm.assertEq(owed, bondsWei);
        vm.assertEq(address(challenges).balance, bondsWei);
    }

    /// @dev The rule written the plain way: what stands, and who has a bond back.
    function requirePlain(uint16[] memory first, uint16[] memory second, uint16 settled, bool isSecond) internal view {
        (bool isReached, uint16 verdict) = plainVerdict(first, 11, settled);
        uint16 afterFirst = isReached && differs(verdict, settled) ? verdict : settled;
        uint16 standing = afterFirst;
        bool isJudged = isReached;
        if (isSecond) {
            (isReached, verdict) = plainVerdict(second, 13, standing);
            if (isReached && differs(verdict, standing)) standing = verdict;
            isJudged = isJudged || isReached;
            bool isSecondLost = isReached && !differs(afterFirst, standing);
            // Half of the bond but for rounding, at least, where it is not lost.
            vm.assertTrue(isSecondLost != (challenges.creditOf(SECOND) >= FIRST_BOND));
        }
        bool isLost = isJudged && !differs(settled, standing);
        vm.assertTrue(isLost != (challenges.creditOf(APPELLANT) >= FIRST_BOND / 2));
        (, uint16 score) = votes.outcomeOf(0, solvers[0]);
        vm.assertEq(score, standing);
        vm.assertEq(votes.points(solvers[0]), standing);
        vm.assertEq(pointsIn(0), uint256(standing) + 400);
    }

    function isGone(uint16[] memory scores, uint256 drawn) internal pure returns (bool gone) {
        uint256 missing = 0;
        for (uint256 i = 0; i < drawn; ++i) if (scores[i] == GONE) ++missing;
        return missing > drawn / 2;
    }

    function plainVerdict(
        uint16[] memory scores,
        uint256 drawn,
        uint16 standingMilli
    ) internal pure returns (bool isReached, uint16 verdict) {
        uint16[] memory cast = new uint16[](drawn);
        uint256 count = 0;
        for (uint256 i = 0; i < drawn; ++i) if (scores[i] <= 1000 || scores[i] == GONE) cast[count++] = scores[i];
        return Median.verdict(cast, count, drawn, standingMilli);
    }

    function differs(uint16 a, uint16 b) internal pure returns (bool isFar) {
        return (a > b ? a - b : b - a) > 25;
    }

    function randomScores(uint256 draw) internal pure returns (uint16[] memory scores) {
        scores = new uint16[](13);
        for (uint256 i = 0; i < 13; ++i) {
            uint256 word = uint256(keccak256(abi.encode(draw, i)));
            scores[i] = uint16((word >> 8) % (draw % 3 == 0 ? 60 : 1001));
            if (word % 8 == 0) scores[i] = SILENT;
            if (word % 8 == 1) scores[i] = SEALED;
            if (word % 8 == 2) scores[i] = GONE;
        }
    }
}
