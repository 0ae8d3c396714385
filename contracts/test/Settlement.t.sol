// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IRewardVotes} from "../src/interfaces/IRewardVotes.sol";
import {Median} from "./Median.sol";
import {VotesFixture} from "./VotesFixture.sol";

contract SettlementTest is VotesFixture {
    function test_SettlesTheMedian() public {
        voteOnFirstSolver(scoresOf(900, 100, 400));
        vm.expectEmit(address(votes));
        emit IRewardVotes.Settled(0, solvers[0], 400, 3, 1);
        votes.settle(0, firstSolvers(1));
        expectOutcome(1, 400);
        vm.assertEq(votes.points(solvers[0]), 400);
    }

    function test_TakesTheLowerOfTwo() public {
        voteOnFirstSolver(scoresOf(900, 100));
        votes.settle(0, firstSolvers(1));
        expectOutcome(1, 100);
    }

    function test_LeavesUnavailableOutOfTheMedian() public {
        voteOnFirstSolver(scoresOf(900, GONE, 700));
        vm.expectEmit(address(votes));
        emit IRewardVotes.Settled(0, solvers[0], 700, 3, 1);
        votes.settle(0, firstSolvers(1));
    }

    function test_HalfUnavailableStillScores() public {
        voteOnFirstSolver(scoresOf(GONE, 800));
        votes.settle(0, firstSolvers(1));
        expectOutcome(1, 800);
    }

    function test_MostlyUnavailableScoresNothing() public {
        voteOnFirstSolver(scoresOf(GONE, 1000, GONE));
        vm.expectEmit(address(votes));
        emit IRewardVotes.Settled(0, solvers[0], 0, 3, 2);
        votes.settle(0, firstSolvers(1));
        expectOutcome(2, 0);
        vm.assertEq(votes.points(solvers[0]), 0);
    }

    function test_NoQuorumGivesNoPoints() public {
        voteOnFirstSolver(scoresOf(900));
        vm.expectEmit(address(votes));
        emit IRewardVotes.Settled(0, solvers[0], 0, 1, 3);
        votes.settle(0, firstSolvers(1));
        expectOutcome(3, 0);
    }

    function test_NobodyVotedIsNoQuorum() public {
        commitRollouts(solvers[0]);
        enterRound(3);
        vm.expectEmit(address(votes));
        emit IRewardVotes.Settled(0, solvers[0], 0, 0, 3);
        votes.settle(0, firstSolvers(1));
    }

    /// @dev One seat alone is a majority of itself, but never a quorum.
    function test_OneSeatIsNeverAQuorum() public {
        votes.removeEvaluator(evaluators[1]);
        votes.removeEvaluator(evaluators[2]);
        enterRound(1);
        commitRollouts(solvers[0]);
        enterRound(2);
        commitBallot(1, evaluators[0], ballotOf(900));
        enterRound(3);
        revealBallot(1, evaluators[0], ballotOf(900));
        enterRound(4);
        vm.expectEmit(address(votes));
        emit IRewardVotes.Settled(1, solvers[0], 0, 1, 3);
        votes.settle(1, firstSolvers(1));
    }

    /// @dev The quorum is of the seats that sat in the round, not of those of the day of settlement.
    function test_QuorumIsOfTheRoundsOwnSeats() public {
        commitRollouts(solvers[0]);
        for (uint256 i = 0; i < 11; ++i) votes.admitEvaluator(bytes32(i));
        enterRound(1);
        for (uint256 i = 0; i < 2; ++i) commitBallot(0, evaluators[i], ballotOf(600));
        enterRound(2);
        for (uint256 i = 0; i < 2; ++i) revealBallot(0, evaluators[i], ballotOf(600));
        enterRound(3);
        votes.settle(0, firstSolvers(1));
        expectOutcome(1, 600);
    }

    function test_SettlesInPagesAndEachPeerOnce() public {
        for (uint256 i = 0; i < 3; ++i) commitRollouts(solvers[i]);
        uint16[] memory scores = scoresOf(100, 200, 300);
        enterRound(1);
        for (uint256 i = 0; i < 3; ++i) commitBallot(0, evaluators[i], ballotOf(scores));
        enterRound(2);
        for (uint256 i = 0; i < 3; ++i) revealBallot(0, evaluators[i], ballotOf(scores));
        enterRound(3);
        vm.recordLogs();
        votes.settle(0, firstSolvers(2));
        votes.settle(0, firstSolvers(3));
        votes.settle(0, firstSolvers(3));
        vm.assertEq(vm.getRecordedLogs().length, 3);
        for (uint256 i = 0; i < 3; ++i) vm.assertEq(votes.points(solvers[i]), scores[i]);
        expectOutcome(1, 100);
    }

    function test_APeerTwiceInAPageCountsOnce() public {
        voteOnFirstSolver(scoresOf(900, 900));
        bytes32[] memory twice = new bytes32[](2);
        (twice[0], twice[1]) = (solvers[0], solvers[0]);
        vm.recordLogs();
        votes.settle(0, twice);
        vm.assertEq(vm.getRecordedLogs().length, 1);
        vm.assertEq(votes.points(solvers[0]), 900);
        expectOutcome(1, 900);
    }

    function test_PointsAddUpOverRounds() public {
        voteOnFirstSolver(scoresOf(900, 900));
        votes.settle(0, firstSolvers(1));
        commitRollouts(solvers[0]);
        enterRound(4);
        for (uint256 i = 0; i < 2; ++i) commitBallot(3, evaluators[i], ballotOf(50));
        enterRound(5);
        for (uint256 i = 0; i < 2; ++i) revealBallot(3, evaluators[i], ballotOf(50));
        enterRound(6);
        votes.settle(3, firstSolvers(1));
        vm.assertEq(votes.points(solvers[0]), 950);
        expectOutcome(1, 900);
    }

    function test_AnOutcomeOutlivesTheRingOnlyUntilItsSlotIsReused() public {
        voteOnFirstSolver(scoresOf(900, 900));
        votes.settle(0, firstSolvers(1));
        enterRound(6);
        commitRollouts(solvers[0]);
        enterRound(9);
        expectOutcome(1, 900);
        votes.settle(6, firstSolvers(1));
        expectOutcome(0, 0);
        (uint8 outcome, ) = votes.outcomeOf(6, solvers[0]);
        vm.assertEq(outcome, 3);
    }

    function test_RevertWhen_SettlingInAnotherRound() public {
        commitRollouts(solvers[0]);
        for (uint64 round = 2; round <= 4; round += 2) {
            enterRound(round);
            vm.expectRevert(abi.encodeWithSelector(IRewardVotes.RewardVotes_WrongRound.selector, 0, 3, round));
            votes.settle(0, firstSolvers(1));
        }
    }

    function test_RevertWhen_SettlingAPeerThatCommittedNothing() public {
        enterRound(3);
        vm.expectRevert(abi.encodeWithSelector(IRewardVotes.RewardVotes_NoCommitment.selector, 0, solvers[0]));
        votes.settle(0, firstSolvers(1));
    }

    function testFuzz_SettlesAsThePlainRuleSays(uint16[3] memory drawn, uint256 voters) public {
        voters = bound(voters, 0, 3);
        uint16[] memory scores = new uint16[](voters);
        for (uint256 i = 0; i < voters; ++i) scores[i] = drawn[i] % 4 == 0 ? GONE : drawn[i] % 1001;
        voteOnFirstSolver(scores);
        votes.settle(0, firstSolvers(1));
        (uint8 outcome, uint16 scoreMilli) = Median.outcome(scores, voters, 2);
        expectOutcome(outcome, scoreMilli);
        vm.assertEq(votes.points(solvers[0]), scoreMilli);
    }

    function expectOutcome(uint8 outcome, uint16 scoreMilli) internal view {
        (uint8 actual, uint16 actualScore) = votes.outcomeOf(0, solvers[0]);
        vm.assertEq(actual, outcome);
        vm.assertEq(actualScore, scoreMilli);
    }

    function scoresOf(uint16 a) internal pure returns (uint16[] memory scores) {
        scores = new uint16[](1);
        scores[0] = a;
    }

    function scoresOf(uint16 a, uint16 b) internal pure returns (uint16[] memory scores) {
        scores = new uint16[](2);
        (scores[0], scores[1]) = (a, b);
    }

    function scoresOf(uint16 a, uint16 b, uint16 c) internal pure returns (uint16[] memory scores) {
        scores = new uint16[](3);
        (scores[0], scores[1], scores[2]) = (a, b, c);
    }
}
