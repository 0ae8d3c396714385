// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IEvaluatorSeats} from "../src/interfaces/IEvaluatorSeats.sol";
import {IRulings} from "../src/interfaces/IRulings.sol";
import {IRewardVotes} from "../src/interfaces/IRewardVotes.sol";
import {ITaskProposals} from "../src/interfaces/ITaskProposals.sol";
import {StakesFixture} from "./StakesFixture.sol";

contract StakedSeatsTest is StakesFixture {
    function test_BootstrapEndsByItself() public {
        stakeFor(EVALUATOR, evaluators[2]);
        vm.assertEq(address(votes.stakes()), address(stakes));
        vm.assertEq(votes.seatsAt(BOOTSTRAP - 1).length, 3);
        bytes32[] memory seats = votes.seatsAt(BOOTSTRAP);
        vm.assertEq(seats.length, 1);
        vm.assertEq(seats[0], evaluators[2]);
        vm.assertEq(keccak256(abi.encode(votes.seatsAt(type(uint64).max))), keccak256(abi.encode(seats)));
    }

    function test_AStakedSeatIsNoneOfARoundThatHasBegun() public {
        enterRound(BOOTSTRAP + 1);
        address account = afford(EVALUATOR, evaluators[0]);
        vm.expectEmit(address(votes));
        emit IEvaluatorSeats.EvaluatorAdmitted(evaluators[0], BOOTSTRAP + 2, true);
        stakeAs(account, EVALUATOR, evaluators[0]);
        vm.assertEq(votes.seatsAt(BOOTSTRAP + 1).length, 0);
        vm.assertEq(votes.seatsAt(BOOTSTRAP + 2).length, 1);
        enterRound(BOOTSTRAP + 2);
        vm.expectEmit(address(votes));
        emit IEvaluatorSeats.EvaluatorRemoved(evaluators[0], BOOTSTRAP + 3, true);
        unstakeAs(account, EVALUATOR, evaluators[0]);
        vm.assertEq(votes.seatsAt(BOOTSTRAP + 2).length, 1);
        vm.assertEq(votes.seatsAt(BOOTSTRAP + 3).length, 0);
    }

    function test_AnEarlyStakeSitsFromTheEndOfBootstrapOn() public {
        address account = afford(EVALUATOR, evaluators[0]);
        vm.expectEmit(address(votes));
        emit IEvaluatorSeats.EvaluatorAdmitted(evaluators[0], BOOTSTRAP, true);
        stakeAs(account, EVALUATOR, evaluators[0]);
    }

    function test_AKeyTakesNoSeatInARoundThatItDoesNotCountIn() public {
        enterRound(BOOTSTRAP + 1);
        bytes32 late = enrolNow(300, accountNamed(300));
        address account = afford(EVALUATOR, late);
        vm.expectRevert(
            abi.encodeWithSelector(IEvaluatorSeats.RewardVotes_KeyTooNew.selector, BOOTSTRAP + 2, late, BOOTSTRAP + 3)
        );
        stakeAs(account, EVALUATOR, late);
        enterRound(BOOTSTRAP + 2);
        stakeAs(account, EVALUATOR, late);
        vm.assertEq(votes.seatsAt(BOOTSTRAP + 3)[0], late);
    }

    function test_RevertWhen_TheRoleSeatsAfterBootstrap() public {
        enterRound(BOOTSTRAP - 2);
        votes.admitEvaluator(bytes32("late"));
        enterRound(BOOTSTRAP - 1);
        vm.expectRevert(
            abi.encodeWithSelector(IEvaluatorSeats.RewardVotes_BootstrapOver.selector, BOOTSTRAP, BOOTSTRAP)
        );
        votes.admitEvaluator(bytes32("later"));
    }

    function test_TheRoleHasNoPowerOverStakedSeats() public {
        stakeFor(EVALUATOR, solvers[0]);
        vm.expectRevert(abi.encodeWithSelector(IEvaluatorSeats.RewardVotes_NotSeated.selector, solvers[0], 5));
        votes.removeEvaluator(solvers[0]);
        stakeFor(EVALUATOR, evaluators[0]);
        votes.removeEvaluator(evaluators[0]);
        vm.assertEq(votes.seatsAt(5).length, 2);
        vm.assertEq(votes.seatsAt(BOOTSTRAP).length, 2);
    }

    function test_RevertWhen_AnotherGivesOrTakesStakedSeats() public {
        vm.expectRevert(abi.encodeWithSelector(IEvaluatorSeats.RewardVotes_NotStakes.selector, address(this)));
        votes.takeSeat(evaluators[0]);
        vm.expectRevert(abi.encodeWithSelector(IEvaluatorSeats.RewardVotes_NotStakes.selector, address(this)));
        votes.leaveSeat(evaluators[0]);
    }

    /// @dev Everybody votes in two rounds, the chain stands still while they would open their ballots, and anyone settles
    /// empty pages.
    function test_ASilentRevealRoundCostsNobodyAnything() public {
        for (uint256 i = 0; i < 3; ++i) stakeFor(EVALUATOR, evaluators[i]);
        for (uint64 round = BOOTSTRAP; round < BOOTSTRAP + 2; ++round) {
            if (round == BOOTSTRAP) enterRound(round);
            commitRollouts(solvers[0]);
            enterRound(round + 1);
            for (uint256 i = 0; i < 3; ++i) commitBallot(ballotOf(round, evaluators[i], scoresOf(700)));
        }
        for (uint64 round = BOOTSTRAP; round < BOOTSTRAP + 2; ++round) {
            enterRound(round + 3);
            votes.settle(round, 0, new bytes32[](0));
            vm.assertTrue(votes.isOutage(round));
        }
        vm.assertEq(votes.seatsAt(rounds.firstOpenRound()).length, 3);
        vm.assertEq(nectar.balanceOf(address(stakes)), 3 * SEAT_WEI);
        // One of a round before, in which the others were heard.
        vm.assertEq(votes.missesOf(evaluators[2]), 1);
    }

    /// @dev Five that staked what they earned vote on a round after bootstrap; one falls silent, one stays sealed.
    function test_StakedSeatsScoreAndAnswerForAbsences() public {
        for (uint256 i = 0; i < 3; ++i) stakeFor(EVALUATOR, evaluators[i]);
        for (uint256 i = 1; i < 3; ++i) stakeFor(EVALUATOR, solvers[i]);
        enterRound(BOOTSTRAP);
        commitRollouts(solvers[0]);
        enterRound(BOOTSTRAP + 1);
        bytes32[3] memory heard = [evaluators[0], solvers[1], solvers[2]];
        IRewardVotes.Ballot[3] memory ballots;
        for (uint256 i = 0; i < 3; ++i) commitBallot(ballots[i] = ballotOf(BOOTSTRAP, heard[i], scoresOf(700)));
        commitBallot(ballotOf(BOOTSTRAP, evaluators[1], scoresOf(700)));
        enterRound(BOOTSTRAP + 2);
        for (uint256 i = 0; i < 3; ++i) revealBallot(ballots[i]);
        // Notice does not help.
        unstake(EVALUATOR, evaluators[2]);
        enterRound(BOOTSTRAP + 3);
        votes.settle(BOOTSTRAP, 0, firstSolvers(1));
        vm.assertEq(amountOf(EVALUATOR, evaluators[0]), SEAT_WEI);
        vm.assertEq(amountOf(EVALUATOR, evaluators[1]), 90 ether);
        vm.assertEq(amountOf(EVALUATOR, evaluators[2]), 99 ether);
        vm.assertEq(votes.missesOf(evaluators[1]), 3);
        // One of round 0, one of this round: its seat of bootstrap is not over for the books.
        vm.assertEq(votes.missesOf(evaluators[2]), 2);
        vm.assertEq(votes.SILENT_MILLI(), 10);
        vm.assertEq(votes.SEALED_MILLI(), 100);
    }

    function test_SixMissesTakeTheSeatAndANewStakeTakesItBack() public {
        for (uint256 i = 0; i < 3; ++i) stakeFor(EVALUATOR, evaluators[i]);
        for (uint64 round = BOOTSTRAP; round <= BOOTSTRAP + 4; round += 4) {
            enterRound(round);
            commitRollouts(solvers[0]);
            enterRound(round + 1);
            IRewardVotes.Ballot[3] memory ballots;
            for (uint256 i = 0; i < 3; ++i) commitBallot(ballots[i] = ballotOf(round, evaluators[i], scoresOf(700)));
            enterRound(round + 2);
            for (uint256 i = 1; i < 3; ++i) revealBallot(ballots[i]);
            enterRound(round + 3);
            votes.settle(round, 0, firstSolvers(1));
        }
        vm.assertEq(votes.missesOf(evaluators[0]), 6);
        vm.assertEq(votes.missesOf(evaluators[1]), 0);
        vm.assertEq(votes.seatsAt(rounds.currentRound() + 1).length, 2);
        vm.assertEq(amountOf(EVALUATOR, evaluators[0]), 80 ether);

        address account = registry.accountOf(evaluators[0]);
        give(account, 20 ether);
        vm.prank(account);
        stakes.stake(EVALUATOR, evaluators[0]);
        vm.assertEq(votes.missesOf(evaluators[0]), 0);
        vm.assertEq(votes.seatsAt(rounds.currentRound() + 1).length, 3);
    }

    function test_LeavingAndComingBackClearsNoMisses() public {
        for (uint256 i = 0; i < 3; ++i) stakeFor(EVALUATOR, evaluators[i]);
        enterRound(BOOTSTRAP);
        commitRollouts(solvers[0]);
        voteOn(BOOTSTRAP, scoresOf(500, 500));
        votes.settle(BOOTSTRAP, 0, firstSolvers(1));
        // One more of a round before.
        vm.assertEq(votes.missesOf(evaluators[2]), 2);
        unstake(EVALUATOR, evaluators[2]);
        give(registry.accountOf(evaluators[2]), 1 ether);
        vm.prank(registry.accountOf(evaluators[2]));
        stakes.stake(EVALUATOR, evaluators[2]);
        vm.assertEq(votes.missesOf(evaluators[2]), 2);
    }

    function test_AbsencesThatEatTheStakeTakeTheSeat() public {
        for (uint256 i = 0; i < 3; ++i) stakeFor(EVALUATOR, evaluators[i]);
        slash(EVALUATOR, evaluators[2], 495);
        enterRound(BOOTSTRAP);
        commitRollouts(solvers[0]);
        voteOn(BOOTSTRAP, scoresOf(500, 500));
        votes.settle(BOOTSTRAP, 0, firstSolvers(1));
        bytes32[] memory seats = votes.seatsAt(BOOTSTRAP + 4);
        vm.assertEq(seats.length, 2);
        vm.assertTrue(seats[0] != evaluators[2] && seats[1] != evaluators[2]);
        vm.assertEq(votes.missesOf(evaluators[2]), 2);
    }

    /// @dev Three votes of one ballot: the stake pays the appellants of the two cases that are closed first.
    function test_AStakePaysForTwoOverturnedVotes() public {
        stakeFor(EVALUATOR, evaluators[0]);
        enterRound(6);
        uint256[3] memory paidWei = [uint256(25 ether), 25 ether, 0];
        for (uint160 i = 0; i < 3; ++i) {
            address appellant = address(0xA000 + i);
            vm.prank(address(challenges));
            votes.blame(5, evaluators[0], IRulings.Fault.Overturned, appellant);
            vm.assertEq(nectar.balanceOf(appellant), paidWei[i]);
        }
        vm.assertEq(amountOf(EVALUATOR, evaluators[0]), 0);
    }

    /// @dev Half of the stake, and the seat with the second.
    function test_AnOverturnedVoteCostsHalfOfTheStake() public {
        stakeFor(EVALUATOR, evaluators[0]);
        enterRound(6);
        vm.prank(address(challenges));
        votes.blame(5, evaluators[0], IRulings.Fault.Overturned, address(0));
        vm.assertEq(amountOf(EVALUATOR, evaluators[0]), SEAT_WEI / 2);
        vm.assertEq(votes.missesOf(evaluators[0]), 3);
        vm.assertEq(votes.seatCountAt(7), 1);
        vm.assertEq(votes.seatAt(7, 0), evaluators[0]);
        vm.prank(address(challenges));
        votes.blame(5, evaluators[0], IRulings.Fault.Overturned, address(0));
        vm.assertEq(amountOf(EVALUATOR, evaluators[0]), 0);
        vm.assertEq(votes.seatCountAt(7), 0);
    }

    function test_StakedSeatsScoreOnWhereBootstrapEnded() public {
        bytes32[] memory page = firstSolvers(1);
        commitRollouts(solvers[0]);
        enterRound(5);
        commitRollouts(solvers[0]);
        IRewardVotes.Ballot[2] memory fourth = sealBoth(4);
        enterRound(6);
        IRewardVotes.Ballot[2] memory fifth = sealBoth(5);
        for (uint256 i = 0; i < 2; ++i) revealBallot(fourth[i]);
        enterRound(7);
        votes.settle(4, 0, page);
        for (uint256 i = 0; i < 2; ++i) revealBallot(fifth[i]);
        enterRound(8);
        votes.settle(5, 0, page);
        enterRound(9);
        for (uint256 i = 0; i < 2; ++i) stakeFor(EVALUATOR, evaluators[i]);
        vm.assertEq(votes.seatsAt(9).length, 0);
        enterRound(10);
        commitRollouts(solvers[0]);
        voteAlike(10, scoresOf(600));
        votes.settle(10, 0, page);
        vm.assertEq(pointsIn(10), 600);
        enterRound(14);
        vm.assertEq(nectar.claim(solvers[0]), 3_000 ether);
    }

    function sealBoth(uint64 round) internal returns (IRewardVotes.Ballot[2] memory ballots) {
        for (uint256 i = 0; i < 2; ++i) {
            ballots[i] = ballotOf(round, evaluators[i], scoresOf(500));
            commitBallot(ballots[i]);
        }
    }

    function test_TasksNeedAStakeAfterBootstrap() public {
        vm.assertEq(address(commitments.stakes()), address(stakes));
        address account = registry.accountOf(solvers[1]);
        vm.expectRevert(
            abi.encodeWithSelector(ITaskProposals.RolloutCommitments_NoStake.selector, BOOTSTRAP, solvers[1])
        );
        commitSecret(account, BOOTSTRAP);
        stakeFor(PROPOSER, solvers[1]);
        commitSecret(account, BOOTSTRAP);
        enterRound(BOOTSTRAP - 1);
        propose(account, BOOTSTRAP);
    }

    function commitSecret(address account, uint64 round) internal {
        vm.prank(account);
        commitments.commitSecret(round, solvers[1], keccak256(abi.encode(bytes32("secret"))));
    }

    function propose(address account, uint64 round) internal {
        vm.prank(account);
        commitments.propose(round, solvers[1], "secret", 3, "tasks", 0);
    }
}
