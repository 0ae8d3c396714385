// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IAppeals} from "../../src/interfaces/IAppeals.sol";
import {IRewardVotes} from "../../src/interfaces/IRewardVotes.sol";
import {IRolloutCommitments} from "../../src/interfaces/IRolloutCommitments.sol";
import {IRulings} from "../../src/interfaces/IRulings.sol";
import {AppealFixture} from "./AppealFixture.sol";

/// @dev Outcomes of a case whose peer loses the round for another reason: the verdict changes no score, and judges bonds
/// and seats as in any other case.
contract AppealsOfLostRoundsTest is AppealFixture {
    IRolloutCommitments.Work internal work;
    bytes32[] internal committee;
    /// @dev Three seats of five that call nothing perfect.
    uint16[5] internal coalition = [1000, 0, 1000, 0, 1000];

    function test_SeatsPayForAScoreWhoseFalseLeafIsShownOnceItIsAppealed() public {
        playAppealed(coalition);
        showFalse();
        playVerdict(0);
        enterRound(7);
        vm.expectEmit(address(challenges));
        emit IAppeals.AppealClosed(0, solvers[0], 1, 0, 1000, true);
        for (uint256 position = 0; position < 5; position += 2) {
            vm.expectEmit(address(challenges));
            emit IAppeals.SeatBlamed(0, solvers[0], committee[position], 0, IRulings.Fault.Overturned);
        }
        challenges.closeAppeal(0, solvers[0]);
        expectScore(5, 0);
        requireCoalitionBlamed();
        vm.assertEq(votes.earnedOf(solvers[1]), 1_000 ether);
    }

    function test_SeatsPayForAScoreWhoseLeafIsWithheldOnceItIsAppealed() public {
        commitAndVote(coalition);
        demand(0, solvers[0], work);
        settleAndAppeal();
        enterRound(4);
        vm.roll(vm.getBlockNumber() + 16);
        challenges.closeDemand(0, solvers[0], sampledAt(0, solvers[0], 0));
        sealVerdicts(sameScores(0));
        enterRound(5);
        revealVerdicts(sameScores(0));
        enterRound(7);
        challenges.closeAppeal(0, solvers[0]);
        expectScore(6, 0);
        requireCoalitionBlamed();
    }

    function test_SeatsWhoseScoreTheJuryFindsAreNotBlamed() public {
        playAppealed([700, 700, 700, 700, 700]);
        showFalse();
        playVerdict(710);
        enterRound(7);
        challenges.closeAppeal(0, solvers[0]);
        judgeAll(1, 11);
        expectScore(5, 0);
        requireNobodyBlamed();
        // The score was right: its appellant pays the peer, as it would if the round were not lost.
        vm.assertEq(challenges.creditOf(APPELLANT), (FIRST_BOND / 2) % 11);
        vm.assertEq(challenges.creditOf(registry.accountOf(solvers[0])), FIRST_BOND / 2);
    }

    /// @dev A peer that shows its work to the committee alone, and gives up its round.
    function test_SeatsWhoseScoreTheJuryCannotReadAreNotBlamed() public {
        playAppealed([700, GONE, 700, 700, 700]);
        showFalse();
        playVerdict(GONE);
        enterRound(7);
        challenges.closeAppeal(0, solvers[0]);
        judgeAll(1, 11);
        expectScore(5, 0);
        requireNobodyBlamed();
    }

    /// @dev The seats of a committee can defend their votes, at the terms of any other case.
    function test_ASecondJuryRightsTheSeatsThatAFirstOverturned() public {
        playAppealed([700, 700, 700, 700, 700]);
        showFalse();
        uint16[] memory scores = sameScores(0);
        (scores[0], scores[1], scores[2]) = (700, 700, 700);
        playVerdicts(scores);
        appealAs(SECOND);
        playVerdict(700);
        challenges.closeAppeal(0, solvers[0]);
        expectScore(5, 0);
        requireNobodyBlamed();
        // The first appellant lost; half of the second bond and what it lost go to the second.
        vm.assertEq(challenges.creditOf(APPELLANT), 0);
        vm.assertLe(FIRST_BOND + FIRST_BOND / 2, challenges.creditOf(SECOND));
    }

    function test_AJurorThatDoesNotRevealIsBlamed() public {
        playAppealed(coalition);
        showFalse();
        uint16[] memory scores = sameScores(0);
        scores[1] = SEALED;
        playVerdicts(scores);
        enterRound(7);
        challenges.closeAppeal(0, solvers[0]);
        vm.expectEmit(address(challenges));
        emit IAppeals.SeatBlamed(0, solvers[0], juries[1][1], 1, IRulings.Fault.Sealed);
        judgeAll(1, 11);
        vm.assertEq(challenges.creditOf(registry.accountOf(juries[1][0])), FIRST_BOND / 2 / 10);
    }

    /// @dev Plays the scores of the committee up to an appeal of what is settled.
    function playAppealed(uint16[5] memory scores) internal {
        commitAndVote(scores);
        settleAndAppeal();
    }

    function commitAndVote(uint16[5] memory scores) internal {
        work = commitDrawn(solvers[0]);
        commitRollouts(solvers[1]);
        enterRound(1);
        committee = votes.committeeOf(0, 0);
        IRewardVotes.Ballot[5] memory ballots;
        for (uint256 i = 0; i < 5; ++i) {
            ballots[i] = ballotOf(0, committee[i], scoresBy(scores[i], 400));
            commitBallot(ballots[i]);
        }
        enterRound(2);
        for (uint256 i = 0; i < 5; ++i) revealBallot(ballots[i]);
    }

    function settleAndAppeal() internal {
        enterRound(3);
        votes.settle(0, 0, firstSolvers(2));
        appealAs(APPELLANT);
    }

    function showFalse() internal {
        challenges.challengeLeaf(0, solvers[0], work, drawnLeaf(0, solvers[0]), proof());
    }

    function requireCoalitionBlamed() internal view {
        for (uint256 i = 0; i < 5; ++i) vm.assertEq(votes.missesOf(committee[i]), i % 2 == 0 ? 3 : 0);
        vm.assertEq(challenges.creditOf(APPELLANT), FIRST_BOND / 2 + ((FIRST_BOND / 2) % 11));
    }

    function requireNobodyBlamed() internal view {
        for (uint256 i = 0; i < 13; ++i) vm.assertEq(votes.missesOf(evaluators[i]), 0);
    }
}
