// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IOpenings} from "../src/interfaces/IOpenings.sol";
import {IRolloutCommitments} from "../src/interfaces/IRolloutCommitments.sol";
import {ITaskFaults} from "../src/interfaces/ITaskFaults.sol";
import {ITaskPay} from "../src/interfaces/ITaskPay.sol";
import {OpeningsFixture} from "./OpeningsFixture.sol";

/// @dev Leaf 0 answers TASK, which the second solver proposed before the third did.
contract TaskPayTest is OpeningsFixture {
    function setUp() public override {
        super.setUp();
        vm.warp(START - 1);
        propose(solvers[1], 5);
        propose(solvers[2], 6);
        vm.warp(START);
    }

    function test_PaysTheProposerByLearnability() public {
        openBy(750, 3);
        vm.assertEq(openings.PROPOSER_EMISSION_WEI(), 100 ether);
        vm.expectEmit(address(openings));
        emit ITaskPay.TaskClaimed(0, solvers[1], 0, TASK, 75 ether);
        openings.claimTask(claimOf(solvers[1]));
        // Closed on the way.
        vm.assertTrue(openings.earnedOf(evaluators[0]) != 0);
        (bytes32 proposer, uint256 amountWei) = openings.taskClaimOf(0, 0);
        vm.assertEq(proposer, solvers[1]);
        vm.assertEq(amountWei, 75 ether);
        enterRound(6);
        vm.expectEmit(address(openings));
        emit ITaskPay.TaskPaid(0, solvers[1], 0, 75 ether);
        openings.payTask(0, 0);
        vm.assertEq(openings.earnedOf(solvers[1]), 75 ether);
        (proposer, amountWei) = openings.taskClaimOf(0, 0);
        vm.assertEq(proposer, bytes32(0));
        vm.assertEq(amountWei, 0);
        vm.assertEq(nectar.claim(solvers[1]), 75 ether);
    }

    function test_PaysOnce() public {
        openBy(750, 3);
        openings.claimTask(claimOf(solvers[1]));
        enterRound(6);
        openings.payTask(0, 0);
        vm.recordLogs();
        openings.payTask(0, 0);
        vm.assertEq(vm.getRecordedLogs().length, 0);
        vm.assertEq(openings.earnedOf(solvers[1]), 75 ether);
    }

    function test_TheFirstToClaimKeepsWhatWasProposedInOneBlock() public {
        vm.warp(START - 1);
        propose(solvers[2], 5);
        vm.warp(START);
        openBy(500, 3);
        openings.claimTask(claimOf(solvers[2]));
        ITaskPay.TaskClaim memory second = claimOf(solvers[1]);
        vm.expectRevert(abi.encodeWithSelector(ITaskPay.Openings_ClaimedByEarlier.selector, 0, 0, 5));
        openings.claimTask(second);
    }

    function test_TasksThatEverybodyOrNobodySolvesEarnNothing() public {
        openBy(1000, 3);
        openings.claimTask(claimOf(solvers[1]));
        enterRound(6);
        openings.payTask(0, 0);
        vm.assertEq(openings.earnedOf(solvers[1]), 0);
    }

    function test_TheEarlierProposerTakesTheClaimOfACopier() public {
        openBy(500, 3);
        openings.claimTask(claimOf(solvers[2]));
        openings.claimTask(claimOf(solvers[1]));
        ITaskPay.TaskClaim memory late = claimOf(solvers[2]);
        vm.expectRevert(abi.encodeWithSelector(ITaskPay.Openings_ClaimedByEarlier.selector, 0, 0, 5));
        openings.claimTask(late);
        enterRound(6);
        openings.payTask(0, 0);
        vm.assertEq(openings.earnedOf(solvers[1]), 100 ether);
        vm.assertEq(openings.earnedOf(solvers[2]), 0);
    }

    function test_TheNextRoundOfTheRingPaysWhatIsLeft() public {
        openBy(500, 3);
        openings.claimTask(claimOf(solvers[1]));
        base = 6;
        propose(solvers[2], block.number);
        enterRound(6);
        openBy(500, 3);
        vm.assertEq(openings.earnedOf(solvers[1]), 0);
        openings.payTask(5, 0);
        openings.claimTask(claimOf(solvers[2]));
        vm.assertEq(openings.earnedOf(solvers[1]), 100 ether);
        (bytes32 proposer, ) = openings.taskClaimOf(6, 0);
        vm.assertEq(proposer, solvers[2]);
        (proposer, ) = openings.taskClaimOf(0, 0);
        vm.assertEq(proposer, bytes32(0));
    }

    /// @dev Its only leaf has a place beyond its count.
    function test_TasksAtFaultEarnNothing() public {
        misplace();
        openBy(500, 3);
        openings.claimTask(claimOf(solvers[1]));
        openings.challengeTasks(faultOf(solvers[1]));
        enterRound(6);
        openings.payTask(0, 0);
        vm.assertEq(openings.earnedOf(solvers[1]), 0);
    }

    function test_RevertWhen_TasksAtFaultAreClaimed() public {
        misplace();
        openBy(500, 3);
        openings.challengeTasks(faultOf(solvers[1]));
        ITaskPay.TaskClaim memory claim = claimOf(solvers[1]);
        vm.expectRevert(abi.encodeWithSelector(ITaskFaults.Openings_TasksFaulty.selector, 0, solvers[1]));
        openings.claimTask(claim);
    }

    function test_RevertWhen_PaidBeforeClaimsAreOver() public {
        openBy(500, 3);
        vm.expectRevert(abi.encodeWithSelector(IOpenings.Openings_WrongRound.selector, 0, 6, 5));
        openings.payTask(0, 0);
    }

    function test_RevertWhen_ClaimedOutOfItsRound() public {
        play(500, 500, 500);
        ITaskPay.TaskClaim memory claim = claimOf(solvers[1]);
        vm.expectRevert(abi.encodeWithSelector(IOpenings.Openings_WrongRound.selector, 0, 5, 4));
        openings.claimTask(claim);
    }

    function test_RevertWhen_NoOpeningsAgreeOnTheLeaf() public {
        openBy(500, 1);
        ITaskPay.TaskClaim memory claim = claimOf(solvers[1]);
        vm.expectRevert(abi.encodeWithSelector(ITaskPay.Openings_NotAgreed.selector, 0, 0, 0));
        openings.claimTask(claim);
    }

    function test_RevertWhen_AnotherLeafIsClaimed() public {
        openBy(500, 3);
        ITaskPay.TaskClaim memory claim = claimOf(solvers[1]);
        claim.leaf = leafAt(1);
        vm.expectRevert(abi.encodeWithSelector(ITaskPay.Openings_NotAgreed.selector, 0, 0, 1));
        openings.claimTask(claim);
    }

    function test_RevertWhen_TheLeafIsFalse() public {
        openBy(500, 3);
        ITaskPay.TaskClaim memory claim = claimOf(solvers[1]);
        claim.leaf.taskHash = keccak256("another task");
        expectNotItsLeaf();
        openings.claimTask(claim);
    }

    function test_RevertWhen_AnotherPeerIsClaimed() public {
        openBy(500, 3);
        ITaskPay.TaskClaim memory claim = claimOf(solvers[1]);
        claim.peerKey = solvers[1];
        vm.expectRevert(
            abi.encodeWithSelector(IRolloutCommitments.RolloutCommitments_NoCommitment.selector, 0, solvers[1])
        );
        openings.claimTask(claim);
    }

    function test_RevertWhen_TheTaskIsNotTheProposers() public {
        openBy(500, 3);
        ITaskPay.TaskClaim memory claim = claimOf(solvers[1]);
        claim.tasks.count = 4;
        expectNotItsTask();
        openings.claimTask(claim);
        claim = claimOf(solvers[1]);
        claim.task.seed = bytes32("another");
        expectNotItsTask();
        openings.claimTask(claim);
        claim = claimOf(solvers[1]);
        claim.task.taskHash = keccak256("another task");
        expectNotItsTask();
        openings.claimTask(claim);
    }

    function test_RevertWhen_TheLeafAnswersAnotherTask() public {
        IRolloutCommitments.Leaf memory other = taskLeaf();
        other.taskHash = keccak256("another task");
        bytes32 root = commitments.leafOf(base, solvers[1], other);
        vm.warp(START - 1);
        vm.prank(registry.accountOf(solvers[1]));
        commitments.commitTasks(base, solvers[1], root, 1, keccak256("tasks"));
        vm.warp(START);
        openBy(500, 3);
        ITaskPay.TaskClaim memory claim = claimOf(solvers[1]);
        (claim.tasks.root, claim.task) = (root, other);
        expectNotItsTask();
        openings.claimTask(claim);
    }

    function test_KeepsWhenTasksWereCommittedForEightRounds() public view {
        IRolloutCommitments.Tasks memory tasks = tasksOf(solvers[1]);
        vm.assertEq(commitments.tasksCommittedAt(0, solvers[1], tasks), 5);
        vm.assertEq(commitments.tasksCommittedAt(8, solvers[1], tasks), 0);
        vm.assertEq(commitments.tasksCommittedAt(0, solvers[0], tasks), 0);
        tasks.contentId = bytes32("another");
        vm.assertEq(commitments.tasksCommittedAt(0, solvers[1], tasks), 0);
    }

    /// @dev Whatever the score, a task earns 4 m (1 - m), at most the whole.
    function testFuzz_EarnsByLearnability(uint16 score) public {
        score %= 1001;
        openBy(score, 3);
        openings.claimTask(claimOf(solvers[1]));
        enterRound(6);
        openings.payTask(0, 0);
        uint256 expected = (100 ether * 4 * uint256(score) * (1000 - score)) / 1e6;
        vm.assertEq(openings.earnedOf(solvers[1]), expected);
        vm.assertLe(expected, 100 ether);
    }

    /// @dev Plays into round 5, with so many openings of leaf 0.
    function openBy(uint16 score, uint256 seats) internal {
        play(score, score, score);
        for (uint256 i = 0; i < seats; ++i) openings.open(openingOf(i, 0));
        enterRound(base + 5);
    }

    function misplace() internal {
        taskIndex = 1;
        vm.warp(START - 1);
        propose(solvers[1], 5);
        vm.warp(START);
    }

    function faultOf(bytes32 proposerKey) internal view returns (ITaskFaults.TaskFault memory fault) {
        (fault.round, fault.proposerKey, fault.tasks) = (base, proposerKey, tasksOf(proposerKey));
        (fault.first, fault.second) = (taskLeaf(), taskLeaf());
    }

    function expectNotItsTask() internal {
        vm.expectRevert(abi.encodeWithSelector(ITaskFaults.Openings_NotItsTask.selector, 0, solvers[1]));
    }
}
