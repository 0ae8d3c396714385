// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IRolloutCommitments} from "../src/interfaces/IRolloutCommitments.sol";
import {ITaskFaults} from "../src/interfaces/ITaskFaults.sol";
import {StakesFixture} from "./StakesFixture.sol";

/// @dev In round 4 the second solver commits two tasks for rounds to come.
contract TaskFaultsTest is StakesFixture {
    bytes32 internal constant TASK = keccak256("task");
    bytes32 internal constant OTHER = keccak256("other task");

    bytes32 internal proposer;
    IRolloutCommitments.Leaf[2] internal leaves;

    function setUp() public override {
        super.setUp();
        proposer = solvers[1];
        stakeFor(PROPOSER, proposer);
        leaves[0] = leafAt(0, TASK);
        leaves[1] = leafAt(1, OTHER);
    }

    function test_SlashesForOneTaskInTwoPlaces() public {
        leaves[1].taskHash = TASK;
        commitTasks(6);
        uint256 supply = nectar.totalSupply();
        ITaskFaults.TaskFault memory fault = faultIn(6);
        vm.expectEmit(address(openings));
        emit ITaskFaults.TasksFaulty(6, proposer, TASK, 25 ether, address(this));
        vm.assertEq(openings.challengeTasks(fault), 25 ether);
        vm.assertEq(openings.TASK_FAULT_MILLI(), 500);
        vm.assertTrue(openings.areFaulty(6, proposer));
        vm.assertFalse(openings.areFaulty(5, proposer));
        vm.assertEq(amountOf(PROPOSER, proposer), 25 ether);
        vm.assertEq(nectar.totalSupply(), supply - 25 ether);
        vm.assertTrue(stakes.mayPropose(proposer, 7));
    }

    function test_SlashesForTwoTasksInOnePlace() public {
        leaves[1].index = 0;
        commitTasks(6);
        vm.assertEq(openings.challengeTasks(faultIn(6)), 25 ether);
    }

    function test_SlashesForAPlaceBeyondTheLast() public {
        leaves[1].index = 2;
        commitTasks(6);
        ITaskFaults.TaskFault memory fault = faultIn(6);
        (fault.first, fault.firstProof) = (fault.second, fault.secondProof);
        vm.assertEq(openings.challengeTasks(fault), 25 ether);
    }

    function test_ASecondFaultEndsTheLeaveToPropose() public {
        leaves[1].taskHash = TASK;
        for (uint64 round = 5; round <= 6; ++round) {
            commitTasks(round);
            openings.challengeTasks(faultIn(round));
        }
        vm.assertEq(amountOf(PROPOSER, proposer), 0);
        vm.assertFalse(stakes.mayPropose(proposer, 7));
    }

    /// @dev In bootstrap tasks are committed without a stake.
    function test_WithoutAStakeNothingIsLost() public {
        proposer = solvers[2];
        leaves[1].taskHash = TASK;
        commitTasks(5);
        vm.assertEq(openings.challengeTasks(faultIn(5)), 0);
        vm.assertTrue(openings.areFaulty(5, proposer));
    }

    function test_RevertWhen_ShownTwice() public {
        leaves[1].taskHash = TASK;
        commitTasks(6);
        ITaskFaults.TaskFault memory fault = faultIn(6);
        openings.challengeTasks(fault);
        vm.expectRevert(abi.encodeWithSelector(ITaskFaults.Openings_TasksFaulty.selector, 6, proposer));
        openings.challengeTasks(fault);
    }

    function test_RevertWhen_TheLeavesAreOne() public {
        commitTasks(6);
        ITaskFaults.TaskFault memory fault = faultIn(6);
        (fault.second, fault.secondProof) = (fault.first, fault.firstProof);
        expectTasksStand();
        openings.challengeTasks(fault);
    }

    function test_RevertWhen_ALeafIsNotTheProposers() public {
        leaves[1].taskHash = TASK;
        commitTasks(6);
        ITaskFaults.TaskFault memory fault = faultIn(6);
        fault.second.seed = bytes32("another");
        expectNotItsTask(6);
        openings.challengeTasks(fault);
        fault = faultIn(6);
        fault.first.seed = bytes32("another");
        expectNotItsTask(6);
        openings.challengeTasks(fault);
        fault = faultIn(6);
        fault.tasks.count = 3;
        expectNotItsTask(6);
        openings.challengeTasks(fault);
        fault = faultIn(6);
        fault.round = 5;
        expectNotItsTask(5);
        openings.challengeTasks(fault);
    }

    /// @dev Whatever else its headers say, a root of two tasks in two places of its count is never at fault.
    function testFuzz_AnHonestRootStands(
        bytes32[2] memory tasks,
        bytes32[2] memory seeds,
        uint32[2] memory places
    ) public {
        vm.assume(tasks[0] != tasks[1]);
        (leaves[0].index, leaves[1].index) = (places[0] % 9, 9 + (places[1] % 9));
        for (uint256 i = 0; i < 2; ++i) (leaves[i].taskHash, leaves[i].seed) = (tasks[i], seeds[i]);
        commitTasks(6);
        ITaskFaults.TaskFault memory fault = faultIn(6);
        expectTasksStand();
        openings.challengeTasks(fault);
        vm.assertEq(amountOf(PROPOSER, proposer), 50 ether);
    }

    function commitTasks(uint64 round) internal {
        IRolloutCommitments.Tasks memory tasks = tasksIn(round);
        address account = registry.accountOf(proposer);
        vm.prank(account);
        commitments.commitTasks(round, proposer, tasks.root, tasks.count, tasks.contentId);
    }

    function tasksIn(uint64 round) internal view returns (IRolloutCommitments.Tasks memory tasks) {
        (bytes32 a, bytes32 b) = (hashAt(round, 0), hashAt(round, 1));
        bytes32 root = a < b ? keccak256(abi.encode(a, b)) : keccak256(abi.encode(b, a));
        // As many as the honest may have.
        return IRolloutCommitments.Tasks(root, leaves[1].index > 2 ? 18 : 2, keccak256("tasks"));
    }

    function faultIn(uint64 round) internal view returns (ITaskFaults.TaskFault memory fault) {
        (fault.round, fault.proposerKey, fault.tasks) = (round, proposer, tasksIn(round));
        (fault.first, fault.second) = (leaves[0], leaves[1]);
        (fault.firstProof, fault.secondProof) = (new bytes32[](1), new bytes32[](1));
        (fault.firstProof[0], fault.secondProof[0]) = (hashAt(round, 1), hashAt(round, 0));
    }

    function hashAt(uint64 round, uint256 at) internal view returns (bytes32 hash) {
        return commitments.leafOf(round, proposer, leaves[at]);
    }

    function leafAt(uint32 index, bytes32 taskHash) internal pure returns (IRolloutCommitments.Leaf memory leaf) {
        (leaf.index, leaf.taskHash) = (index, taskHash);
    }

    function expectTasksStand() internal {
        vm.expectRevert(abi.encodeWithSelector(ITaskFaults.Openings_TasksStand.selector, 6, proposer));
    }

    function expectNotItsTask(uint64 round) internal {
        vm.expectRevert(abi.encodeWithSelector(ITaskFaults.Openings_NotItsTask.selector, round, proposer));
    }
}
