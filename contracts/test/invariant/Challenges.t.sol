// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {SwarmFixture} from "../SwarmFixture.sol";
import {ChallengesHandler} from "./ChallengesHandler.sol";
import {ScoredRounds} from "./ScoredRounds.sol";

/// @dev The numbers are those of INVARIANTS.md.
contract ChallengesInvariants is SwarmFixture {
    ChallengesHandler internal handler;

    function setUp() public override {
        super.setUp();
        vm.warp(START - 1);
        bytes32[] memory peers = new bytes32[](3);
        bytes32[] memory seats = new bytes32[](12);
        for (uint256 i = 0; i < 3; ++i) peers[i] = enrol(1 + i, accountNamed(i));
        for (uint256 i = 0; i < 12; ++i) {
            seats[i] = enrol(100 + i, accountNamed(100 + i));
            votes.admitEvaluator(seats[i]);
        }
        vm.warp(START);
        handler = new ChallengesHandler(
            ScoredRounds.Parts(registry, rounds, commitments, votes, challenges, SPECIFICATION),
            peers,
            seats
        );
        votes.grantRole(votes.EVALUATOR_ADMIN_ROLE(), address(handler));
        // A call to the handler here would hide from the runner what it is.
        for (uint256 i = 0; i < 3; ++i) vm.deal(address(uint160(0xAC70 + i)), 1_000_000 ether);
        targetContract(address(handler));
    }

    /// @dev The invariants say little if the handler never gets as far as a ruling.
    function test_TheHandlerReachesEveryEnd() public {
        for (uint256 i = 0; i < 60; ++i) {
            uint256 draw = uint256(keccak256(abi.encode(i)));
            for (uint256 j = 0; j < 3; ++j) handler.demand(draw >> (8 * j));
            handler.answer(draw >> 3);
            handler.answer(draw >> 9);
            handler.appeal(draw);
            handler.appeal(draw >> 7);
            for (uint256 j = 0; j < 3; ++j) handler.close(draw >> (5 * j));
            handler.judge(draw);
            handler.pass(draw);
        }
        for (uint256 i = 0; i < 6; ++i) vm.assertLe(1, handler.reached(i));
        vm.assertTrue(handler.isTidy());
        requireWhole();
    }

    function invariant_D1_BondsPointsAndEmissionAreWhole() public view {
        requireWhole();
    }

    function invariant_D7_WhateverIsOpenCanBeClosedByAnyone() public {
        vm.warp(rounds.startOf(rounds.currentRound() + 8));
        vm.roll(vm.getBlockNumber() + challenges.RESPONSE_BLOCKS());
        (uint256 demandCount, uint256 caseCount) = handler.counts();
        for (uint256 i = 0; i < demandCount; ++i) {
            (uint64 round, bytes32 peer, uint32 index, , bool isOpen) = handler.demands(i);
            if (isOpen) challenges.closeDemand(round, peer, index);
        }
        for (uint256 i = 0; i < caseCount; ++i) {
            (uint64 round, bytes32 peer, , , bool isOpen) = handler.cases(i);
            if (isOpen) challenges.closeAppeal(round, peer);
        }
    }

    function requireWhole() internal view {
        requireBalance();
        requireNoUpheldLoss();
        requireOneDemandALeaf();
        requirePoints();
        requireEmission();
        requireWeights();
        requireNothingSlips();
    }

    function requireBalance() internal view {
        uint256 owed = handler.openBonds() + handler.seatPayDue();
        for (uint256 i = 0; i < handler.ACTORS(); ++i) owed += challenges.creditOf(handler.actorOf(i));
        for (uint256 i = 0; i < 3; ++i) owed += challenges.creditOf(accountNamed(i));
        for (uint256 i = 0; i < 12; ++i) owed += challenges.creditOf(accountNamed(100 + i));
        vm.assertEq(address(challenges).balance, owed);
    }

    function requireNoUpheldLoss() internal view {
        vm.assertEq(handler.upheldLosses(), 0);
    }

    function requireNothingSlips() internal view {
        vm.assertEq(handler.slipped(), 0);
    }

    function requireOneDemandALeaf() internal view {
        (uint256 count, ) = handler.counts();
        for (uint256 i = 0; i < count; ++i) {
            (uint64 round, bytes32 peer, uint32 index, , ) = handler.demands(i);
            vm.assertLe(handler.openOf(keccak256(abi.encode(round, peer, index))), 1);
        }
    }

    function requirePoints() internal view {
        vm.assertEq(handler.wronglyClosed(), 0);
        uint64 last = rounds.currentRound();
        for (uint256 i = 0; i < 3; ++i) {
            uint256 points = 0;
            for (uint64 round = 0; round < last; ++round) points += handler.score(round, handler.peers(i));
            vm.assertEq(votes.points(handler.peers(i)), points);
        }
        for (uint64 round = 0; round + 3 < last; ++round) vm.assertEq(pointsIn(round), totalOf(round));
    }

    function requireEmission() internal view {
        vm.assertEq(handler.fell(), 0);
        uint64 last = rounds.currentRound();
        uint256 earned = 0;
        for (uint256 i = 0; i < 3; ++i) earned += votes.earnedOf(handler.peers(i));
        uint256 emitted = 0;
        for (uint64 round = 0; round + 3 < last; ++round) if (totalOf(round) != 0) emitted += 1_000 ether;
        vm.assertLe(earned, emitted);
    }

    function requireWeights() internal view {
        if (!handler.isTidy()) return;
        for (uint256 i = 0; i < 3; ++i) {
            bytes32 peer = handler.peers(i);
            vm.assertEq(votes.earnedOf(peer), handler.expectedEarned(peer));
        }
    }

    /// @dev Sum of a round's scores, by the books.
    function totalOf(uint64 round) internal view returns (uint256 total) {
        for (uint256 i = 0; i < 3; ++i) total += handler.score(round, handler.peers(i));
    }
}
