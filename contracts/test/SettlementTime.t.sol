// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Rounds} from "../src/Rounds.sol";
import {IRewardVotes} from "../src/interfaces/IRewardVotes.sol";
import {VotesFixture} from "./VotesFixture.sol";

/// @dev Every settled score can be appealed in the same round, so nothing is settled in its last quarter.
contract SettlementTimeTest is VotesFixture {
    function test_SettlesInTheLastSecondBeforeTheQuarter() public {
        voteOnFirstSolver(scoresOf(900, 900));
        vm.warp(rounds.startOf(3) + 14);
        votes.settle(0, 0, firstSolvers(1));
        vm.assertEq(votes.points(solvers[0]), 900);
    }

    function test_RevertWhen_TheLastQuarterHasBegun() public {
        voteOnFirstSolver(scoresOf(900, 900));
        for (uint256 second = 15; second < LENGTH; second += 4) {
            vm.warp(rounds.startOf(3) + second);
            expectClosed(rounds.startOf(3) + 15);
            votes.settle(0, 0, firstSolvers(1));
        }
        vm.assertEq(votes.points(solvers[0]), 0);
    }

    /// @dev Round 3 has another length than those before it.
    function testFuzz_WhatIsSettledCanBeAppealedForAQuarterOfTheRound(uint32 length, uint256 second) public {
        length = uint32(bound(length, 4, 30 days));
        rounds.setSchedule(3, length);
        voteOnFirstSolver(scoresOf(900, 900));
        vm.warp(rounds.startOf(3) + bound(second, 0, length - 1));
        uint256 leftSec = rounds.endOf(3) - block.timestamp;
        bool isClosed = 4 * leftSec <= length;
        if (isClosed) expectClosed(rounds.endOf(3) - length / 4);
        votes.settle(0, 0, firstSolvers(1));
        if (isClosed) return;
        vm.warp(rounds.endOf(3) - 1);
        vm.deal(address(this), 1 ether);
        challenges.appeal{value: challenges.appealBond(1)}(0, solvers[0]);
        vm.assertEq(challenges.caseOf(0, solvers[0]).levels, 1);
    }

    function test_ARoundOfLessThanFourSecondsHasNoLastQuarter() public {
        for (uint32 length = 1; length < 4; ++length) {
            rounds.setSchedule(3, length);
            vm.assertEq(rounds.lastQuarterOf(3), rounds.endOf(3));
        }
    }

    function test_TheLastQuarterIsThatOfTheRoundsOwnLength() public {
        rounds.setSchedule(3, 61);
        vm.assertEq(rounds.lastQuarterOf(2), rounds.startOf(2) + 15);
        vm.assertEq(rounds.lastQuarterOf(3), rounds.startOf(3) + 46);
        vm.assertEq(rounds.lastQuarterOf(4), rounds.startOf(4) + 46);
    }

    /// @dev Nobody knows its end.
    function test_ARoundOfAManualScheduleStaysOpen() public {
        Rounds manual = new Rounds(address(this), START, 0, ENVIRONMENT);
        for (uint64 round = 0; round < 4; ++round) {
            vm.assertLe(block.timestamp + 1_000 * 365 days, manual.lastQuarterOf(round));
            manual.advanceRound();
        }
    }

    function expectClosed(uint256 closedFromSec) internal {
        vm.expectRevert(abi.encodeWithSelector(IRewardVotes.RewardVotes_SettlementClosed.selector, 0, closedFromSec));
    }
}
