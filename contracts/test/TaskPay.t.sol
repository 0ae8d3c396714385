// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IOpenings} from "../src/interfaces/IOpenings.sol";
import {IRolloutCommitments} from "../src/interfaces/IRolloutCommitments.sol";
import {ITaskPay} from "../src/interfaces/ITaskPay.sol";
import {OpeningsFixture} from "./OpeningsFixture.sol";

/// @dev In round 1 the drawn leaf answers the last of the three tasks that the second solver proposed; the third solver's say the
/// same.
contract TaskPayTest is OpeningsFixture {
    function setUp() public override {
        super.setUp();
        base = 1;
        vm.warp(START - 1);
        commitSecret(1, solvers[1]);
        commitSecret(1, solvers[2]);
        vm.warp(START);
        propose(1, solvers[1]);
        propose(1, solvers[2]);
        task = commitments.taskHashOf(solvers[1], 2);
        enterRound(1);
    }

    function test_PaysTheProposerByLearnability() public {
        openBy(750, 3);
        vm.assertEq(openings.PROPOSER_EMISSION_WEI(), 100 ether);
        ITaskPay.TaskClaim memory claim = claimOf(solvers[1], 2);
        vm.expectEmit(address(openings));
        emit ITaskPay.TaskPaid(1, solvers[1], 0, 2, 75 ether);
        openings.claimTask(claim);
        // Closed on the way.
        vm.assertTrue(openings.earnedOf(evaluators[0]) != 0);
        vm.assertEq(openings.earnedOf(solvers[1]), 75 ether);
        vm.assertEq(nectar.claim(solvers[1]), 75 ether);
    }

    function test_RevertWhen_PaidTwice() public {
        openBy(750, 3);
        ITaskPay.TaskClaim memory claim = claimOf(solvers[1], 2);
        openings.claimTask(claim);
        vm.expectRevert(abi.encodeWithSelector(ITaskPay.Openings_AlreadyPaid.selector, 1, 0));
        openings.claimTask(claim);
        vm.assertEq(openings.earnedOf(solvers[1]), 75 ether);
    }

    function test_ClosesOnceAndPaysAfterwards() public {
        openBy(750, 3);
        openings.close(1, 0);
        uint256 earnedWei = openings.earnedOf(evaluators[0]);
        openings.claimTask(claimOf(solvers[1], 2));
        vm.assertEq(openings.earnedOf(evaluators[0]), earnedWei);
        openings.close(1, 0);
        vm.assertEq(openings.earnedOf(evaluators[0]), earnedWei);
    }

    function test_TasksThatEverybodyOrNobodySolvesEarnNothing() public {
        openBy(1000, 3);
        openings.claimTask(claimOf(solvers[1], 2));
        vm.assertEq(openings.earnedOf(solvers[1]), 0);
    }

    /// @dev With any scores of its own tasks.
    function test_RevertWhen_ACopierClaims() public {
        openBy(500, 3);
        ITaskPay.TaskClaim memory claim = claimOf(solvers[2], 2);
        expectNotItsTask(solvers[2]);
        openings.claimTask(claim);
    }

    function test_RevertWhen_AnotherIndexIsClaimed() public {
        openBy(500, 3);
        ITaskPay.TaskClaim memory claim = claimOf(solvers[1], 1);
        expectNotItsTask(solvers[1]);
        openings.claimTask(claim);
    }

    function test_RevertWhen_TheTaskWasNeverProposed() public {
        task = commitments.taskHashOf(solvers[1], 3);
        openBy(500, 3);
        ITaskPay.TaskClaim memory claim = claimOf(solvers[1], 3);
        expectNotItsTask(solvers[1]);
        openings.claimTask(claim);
    }

    function test_RevertWhen_ClaimedOutOfItsRound() public {
        play(500, 500, 500);
        ITaskPay.TaskClaim memory claim = claimOf(solvers[1], 2);
        vm.expectRevert(abi.encodeWithSelector(IOpenings.Openings_WrongRound.selector, 1, 6, 5));
        openings.claimTask(claim);
    }

    function test_RevertWhen_NoOpeningsAgreeOnTheLeaf() public {
        openBy(500, 1);
        ITaskPay.TaskClaim memory claim = claimOf(solvers[1], 2);
        vm.expectRevert(abi.encodeWithSelector(ITaskPay.Openings_NotAgreed.selector, 1, 0, drawnIndex));
        openings.claimTask(claim);
    }

    function test_RevertWhen_AnotherLeafIsClaimed() public {
        openBy(500, 3);
        ITaskPay.TaskClaim memory claim = claimOf(solvers[1], 2);
        claim.leaf = leafAt(drawnIndex ^ 1);
        vm.expectRevert(abi.encodeWithSelector(ITaskPay.Openings_NotAgreed.selector, 1, 0, drawnIndex ^ 1));
        openings.claimTask(claim);
    }

    function test_RevertWhen_TheLeafIsFalse() public {
        openBy(500, 3);
        ITaskPay.TaskClaim memory claim = claimOf(solvers[1], 2);
        claim.leaf.taskHash = commitments.taskHashOf(solvers[1], 1);
        expectNotUnderRoot(claim.leaf);
        openings.claimTask(claim);
    }

    function test_RevertWhen_AnotherPeerIsClaimed() public {
        openBy(500, 3);
        ITaskPay.TaskClaim memory claim = claimOf(solvers[1], 2);
        claim.peerKey = solvers[1];
        vm.expectRevert(
            abi.encodeWithSelector(IRolloutCommitments.RolloutCommitments_NoCommitment.selector, 1, solvers[1])
        );
        openings.claimTask(claim);
    }

    /// @dev With any score, a task earns 4 m (1 - m), at most the whole.
    function testFuzz_EarnsByLearnability(uint16 score) public {
        score %= 1001;
        openBy(score, 3);
        openings.claimTask(claimOf(solvers[1], 2));
        uint256 expected = (100 ether * 4 * uint256(score) * (1000 - score)) / 1e6;
        vm.assertEq(openings.earnedOf(solvers[1]), expected);
        vm.assertLe(expected, 100 ether);
    }

    /// @dev Plays into the fifth round after, with so many openings.
    function openBy(uint16 score, uint256 seats) internal {
        play(score, score, score);
        for (uint256 i = 0; i < seats; ++i) openAs(i, openingOf(i));
        enterRound(base + 5);
    }

    function expectNotItsTask(bytes32 proposerKey) internal {
        vm.expectRevert(abi.encodeWithSelector(ITaskPay.Openings_NotItsTask.selector, 1, proposerKey));
    }
}
