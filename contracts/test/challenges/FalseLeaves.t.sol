// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ICommittedWork} from "../../src/interfaces/ICommittedWork.sol";
import {IEarnings} from "../../src/interfaces/IEarnings.sol";
import {IFalseLeaves} from "../../src/interfaces/IFalseLeaves.sol";
import {IRolloutCommitments} from "../../src/interfaces/IRolloutCommitments.sol";
import {VotesFixture} from "../VotesFixture.sol";

/// @dev The first solver commits to a tree of two leaves: its first leaf, and a sibling that stands for all others.
contract FalseLeavesTest is VotesFixture {
    bytes32 internal constant POLICY = keccak256("policy");
    bytes32 internal constant SIBLING = keccak256("sibling");

    function test_AnHonestLeafStands() public {
        IRolloutCommitments.Leaf memory leaf = honestLeaf(0);
        IRolloutCommitments.Work memory work = commitLeaf(0, leaf);
        enterRound(1);
        vm.expectRevert(abi.encodeWithSelector(IFalseLeaves.Challenges_LeafStands.selector, 0, solvers[0], 3));
        challenge(0, work, leaf);
    }

    /// @dev From round 1 on the seed follows from the beacon before.
    function test_AnHonestLeafOfALaterRoundStands() public {
        enterRound(1);
        IRolloutCommitments.Leaf memory leaf = honestLeaf(1);
        IRolloutCommitments.Work memory work = commitLeaf(1, leaf);
        enterRound(2);
        vm.expectRevert(abi.encodeWithSelector(IFalseLeaves.Challenges_LeafStands.selector, 1, solvers[0], 3));
        challenge(1, work, leaf);
    }

    function test_AGroundSeedTakesTheRoundsScoreBeforeItIsGiven() public {
        IRolloutCommitments.Leaf memory leaf = honestLeaf(0);
        leaf.seed = bytes32("ground");
        IRolloutCommitments.Work memory work = commitLeaf(0, leaf);
        enterRound(1);
        vm.expectEmit(address(challenges));
        emit IFalseLeaves.LeafFalse(0, solvers[0], 3, 0, address(0xB0B));
        challenge(0, work, leaf);
        expectOutcome(5, 0);
        voteOn(0, scoresOf(900, 900, 900));
        vm.recordLogs();
        votes.settle(0, 0, firstSolvers(1));
        // The event of the round, and none of the peer.
        vm.assertEq(vm.getRecordedLogs().length, 1);
        expectOutcome(5, 0);
        vm.assertEq(votes.points(solvers[0]), 0);
    }

    function test_AnotherPolicyTakesTheScoreThatWasGiven() public {
        IRolloutCommitments.Leaf memory leaf = honestLeaf(0);
        leaf.policyHash = keccak256("other policy");
        IRolloutCommitments.Work memory work = commitLeaf(0, leaf);
        voteOn(0, scoresOf(900, 900, 900));
        votes.settle(0, 0, firstSolvers(1));
        vm.assertEq(votes.points(solvers[0]), 900);
        vm.expectEmit(address(challenges));
        emit IFalseLeaves.LeafFalse(0, solvers[0], 3, 900, address(0xB0B));
        challenge(0, work, leaf);
        expectOutcome(5, 0);
        vm.assertEq(votes.points(solvers[0]), 0);
        vm.assertEq(pointsIn(0), 0);
        enterRound(4);
        vm.assertEq(votes.earnedOf(solvers[0]), 0);
    }

    function test_APlaceBeyondTheCommittedOnesIsFalse() public {
        IRolloutCommitments.Leaf memory leaf = honestLeaf(0);
        leaf.index = 8;
        IRolloutCommitments.Work memory work = commitLeaf(0, leaf);
        enterRound(1);
        challenge(0, work, leaf);
        expectOutcome(5, 0);
    }

    /// @dev The false peer's share of the round goes to the other peers.
    function test_TheOthersShareWhatItLoses() public {
        IRolloutCommitments.Leaf memory leaf = honestLeaf(0);
        leaf.seed = bytes32("ground");
        IRolloutCommitments.Work memory work = commitLeaf(0, leaf);
        commitRollouts(solvers[1]);
        voteAlike(0, scoresOf(600, 400));
        votes.settle(0, 0, firstSolvers(2));
        challenge(0, work, leaf);
        enterRound(4);
        vm.assertEq(votes.earnedOf(solvers[0]), 0);
        vm.assertEq(votes.earnedOf(solvers[1]), 1_000 ether);
    }

    /// @dev An outcome in advance must not lose what the ring held in its place.
    function test_WhatWasEarnedBeforeIsKept() public {
        commitRollouts(solvers[0]);
        voteOn(0, scoresOf(900, 900, 900));
        votes.settle(0, 0, firstSolvers(1));
        enterRound(11);
        enterRound(12);
        IRolloutCommitments.Leaf memory leaf = honestLeaf(12);
        leaf.seed = bytes32("ground");
        IRolloutCommitments.Work memory work = commitLeaf(12, leaf);
        enterRound(13);
        challenge(12, work, leaf);
        vm.assertEq(votes.earnedOf(solvers[0]), 1_000 ether);
        vm.assertEq(votes.points(solvers[0]), 900);
    }

    function test_RevertWhen_ChallengedTwice() public {
        IRolloutCommitments.Leaf memory leaf = honestLeaf(0);
        leaf.seed = bytes32("ground");
        IRolloutCommitments.Work memory work = commitLeaf(0, leaf);
        enterRound(1);
        challenge(0, work, leaf);
        vm.expectRevert(abi.encodeWithSelector(IEarnings.RewardVotes_AlreadyAnnulled.selector, 0, solvers[0]));
        challenge(0, work, leaf);
    }

    function test_RevertWhen_TheRoundRunsOrIsFinal() public {
        IRolloutCommitments.Leaf memory leaf = honestLeaf(0);
        leaf.seed = bytes32("ground");
        IRolloutCommitments.Work memory work = commitLeaf(0, leaf);
        for (uint64 current = 0; current <= 4; current += 4) {
            if (current != 0) enterRound(current);
            vm.expectRevert(abi.encodeWithSelector(IFalseLeaves.Challenges_NotChallengeable.selector, 0, current));
            challenge(0, work, leaf);
        }
    }

    function test_RevertWhen_TheCommitmentIsAnother() public {
        IRolloutCommitments.Leaf memory leaf = honestLeaf(0);
        leaf.seed = bytes32("ground");
        IRolloutCommitments.Work memory work = commitLeaf(0, leaf);
        enterRound(1);
        work.contentId = bytes32("other");
        vm.expectRevert(
            abi.encodeWithSelector(IRolloutCommitments.RolloutCommitments_NotCommitted.selector, 0, solvers[0])
        );
        challenge(0, work, leaf);
    }

    function test_RevertWhen_TheLeafIsNotUnderTheRoot() public {
        IRolloutCommitments.Leaf memory leaf = honestLeaf(0);
        IRolloutCommitments.Work memory work = commitLeaf(0, leaf);
        enterRound(1);
        leaf.seed = bytes32("made up");
        bytes32 hash = commitments.leafOf(0, solvers[0], leaf);
        vm.expectRevert(abi.encodeWithSelector(IRolloutCommitments.RolloutCommitments_NotUnderRoot.selector, hash));
        challenge(0, work, leaf);
    }

    function test_RevertWhen_TheSeedsCameFromNoBeacon() public {
        vm.warp(rounds.startOf(1));
        IRolloutCommitments.Leaf memory leaf = honestLeaf(0);
        IRolloutCommitments.Work memory work = commitLeaf(1, leaf);
        vm.warp(rounds.startOf(2));
        vm.expectRevert(abi.encodeWithSelector(ICommittedWork.Challenges_NoBeacon.selector, 0));
        challenge(1, work, leaf);
    }

    function testFuzz_OnlyTheDrawnSeedStands(bytes32 seed, bytes32 body, bytes32 task) public {
        IRolloutCommitments.Leaf memory leaf = honestLeaf(0);
        vm.assume(seed != leaf.seed);
        (leaf.seed, leaf.bodyHash, leaf.taskHash) = (seed, body, task);
        IRolloutCommitments.Work memory work = commitLeaf(0, leaf);
        enterRound(1);
        challenge(0, work, leaf);
        expectOutcome(5, 0);
    }

    function challenge(
        uint64 round,
        IRolloutCommitments.Work memory work,
        IRolloutCommitments.Leaf memory leaf
    ) internal {
        bytes32[] memory proof = new bytes32[](1);
        proof[0] = SIBLING;
        vm.prank(address(0xB0B));
        challenges.challengeLeaf(round, solvers[0], work, leaf, proof);
    }

    /// @dev Spelled out again, so that the contract is not its own judge.
    function honestLeaf(uint64 round) internal view returns (IRolloutCommitments.Leaf memory leaf) {
        bytes32 beacon = round == 0 ? bytes32(0) : rounds.beaconOf(round - 1);
        (leaf.index, leaf.policyHash) = (3, POLICY);
        leaf.seed = keccak256(abi.encode("waggle rollout", block.chainid, round, beacon, solvers[0], uint32(0)));
    }

    function commitLeaf(
        uint64 round,
        IRolloutCommitments.Leaf memory leaf
    ) internal returns (IRolloutCommitments.Work memory work) {
        bytes32 hash = commitments.leafOf(round, solvers[0], leaf);
        bytes32 root = keccak256(hash < SIBLING ? abi.encode(hash, SIBLING) : abi.encode(SIBLING, hash));
        work = IRolloutCommitments.Work(root, 8, POLICY, keccak256("content"));
        vm.prank(registry.accountOf(solvers[0]));
        commitments.commit(round, solvers[0], root, 8, POLICY, work.contentId, 0);
    }

    function expectOutcome(uint8 outcome, uint16 scoreMilli) internal view {
        (uint8 actual, uint16 actualScore) = votes.outcomeOf(0, solvers[0]);
        vm.assertEq(actual, outcome);
        vm.assertEq(actualScore, scoreMilli);
    }
}
