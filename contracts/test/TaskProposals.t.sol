// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ITaskProposals} from "../src/interfaces/ITaskProposals.sol";
import {SwarmFixture} from "./SwarmFixture.sol";

/// @dev In round 4 a peer commits to its secret for round 6.
contract TaskProposalsTest is SwarmFixture {
    address internal constant ALICE = address(0xA11CE);
    bytes32 internal constant SECRET = keccak256("secret");
    bytes32 internal constant NEXT = keccak256("next");
    bytes internal constant TASKS = "tasks";

    bytes32 internal peer;

    function setUp() public override {
        super.setUp();
        peer = enrol(1, ALICE);
        enterRound(4);
        commitSecret(6);
    }

    function test_TakesTasksOnceInTheRoundBeforeTheirs() public {
        enterRound(5);
        vm.expectEmit(address(commitments));
        emit ITaskProposals.TasksProposed(6, peer, SECRET, 24, TASKS);
        vm.expectEmit(address(commitments));
        emit ITaskProposals.SecretCommitted(7, peer, hashOf(NEXT));
        propose(6, SECRET);
        (uint16 count, uint208 hash) = commitments.proposalOf(6, peer);
        vm.assertEq(count, 24);
        vm.assertEq(hash, uint208(uint256(keccak256(TASKS))));
        (bool committed, uint224 secretHash) = commitments.secretOf(7, peer);
        vm.assertTrue(committed);
        vm.assertEq(secretHash, uint224(uint256(hashOf(NEXT))));
        vm.expectRevert(abi.encodeWithSelector(ITaskProposals.RolloutCommitments_AlreadyProposed.selector, 6, peer));
        propose(6, SECRET);
        enterRound(6);
        propose(7, NEXT);
    }

    /// @dev A publication after the round's draws are known leaves its tasks unchanged.
    function test_RevertWhen_ProposedLate() public {
        enterRound(5);
        enterRound(6);
        expectNotOpen(6, 7);
        propose(6, SECRET);
        (uint16 count, ) = commitments.proposalOf(6, peer);
        vm.assertEq(count, 0);
    }

    function test_RevertWhen_ProposedEarly() public {
        expectNotOpen(6, 5);
        propose(6, SECRET);
    }

    function test_RevertWhen_TheSecretIsCommittedAtAnotherTime() public {
        for (uint64 round = 4; round <= 8; ++round) {
            if (round == 6) continue;
            expectNotOpen(round, 6);
            commitSecret(round);
        }
    }

    /// @dev A secret that is committed once the beacon of round 4 is known is one that was chosen by it.
    function test_RevertWhen_TheSecretIsAnotherOrNone() public {
        enterRound(5);
        expectNotTheSecret(6);
        propose(6, NEXT);
        bytes32 other = enrol(2, ALICE);
        vm.expectRevert(abi.encodeWithSelector(ITaskProposals.RolloutCommitments_NotTheSecret.selector, 6, other));
        vm.prank(ALICE);
        commitments.propose(6, other, SECRET, 24, TASKS, 0);
    }

    function test_ASecretIsNotThatOfARoundBefore() public {
        enterRound(5);
        propose(6, SECRET);
        vm.warp(rounds.startOf(13));
        expectNotTheSecret(14);
        propose(14, SECRET);
    }

    function test_WhoStopsCommitsToNoSecret() public {
        enterRound(5);
        vm.prank(ALICE);
        commitments.propose(6, peer, SECRET, 24, TASKS, 0);
        (bool committed, ) = commitments.secretOf(7, peer);
        vm.assertFalse(committed);
        // The lower half of the ring's word is not of round 6 any more either.
        (committed, ) = commitments.secretOf(14, peer);
        vm.assertFalse(committed);
    }

    function test_RevertWhen_ThereIsTooLittleOrTooMuch() public {
        enterRound(5);
        vm.assertEq(commitments.MAX_TASKS(), 256);
        vm.assertEq(commitments.MAX_TASK_BYTES(), 16_384);
        expectOverLimit(0, 5);
        proposeSized(0, TASKS);
        expectOverLimit(257, 5);
        proposeSized(257, TASKS);
        expectOverLimit(24, 16_385);
        proposeSized(24, new bytes(16_385));
        proposeSized(256, new bytes(16_384));
    }

    function test_RevertWhen_ItIsAnothersPeer() public {
        bytes memory refusal = abi.encodeWithSelector(
            ITaskProposals.RolloutCommitments_NotPeerAccount.selector,
            peer,
            address(this)
        );
        vm.expectRevert(refusal);
        commitments.commitSecret(6, peer, hashOf(SECRET));
        vm.expectRevert(refusal);
        commitments.propose(5, peer, SECRET, 24, TASKS, 0);
    }

    /// @dev A key that was ground until a beacon drew its tasks comes too late for them.
    function test_RevertWhen_TheKeyIsTooNew() public {
        bytes32 late = enrolNow(2, ALICE);
        bytes memory refusal = abi.encodeWithSelector(ITaskProposals.RolloutCommitments_KeyTooNew.selector, 5, late, 6);
        vm.expectRevert(refusal);
        vm.prank(ALICE);
        commitments.commitSecret(5, late, hashOf(SECRET));
        vm.expectRevert(refusal);
        vm.prank(ALICE);
        commitments.propose(5, late, SECRET, 24, TASKS, 0);
        // Round 6 is the first that it counts in.
        vm.prank(ALICE);
        commitments.commitSecret(6, late, hashOf(SECRET));
        enterRound(5);
        vm.prank(ALICE);
        commitments.propose(6, late, SECRET, 24, TASKS, 0);
    }

    function testFuzz_ATaskIsNamedByProposerAndIndex(bytes32 proposer, uint32 index) public view {
        vm.assertEq(commitments.taskHashOf(proposer, index), keccak256(abi.encode(proposer, uint256(index))));
    }

    /// @dev A proposal is known by its bytes and their number, and nothing else opens the secret.
    function testFuzz_KeepsWhatWasProposed(bytes calldata tasks, uint16 count, bytes32 secret, bytes32 guess) public {
        vm.assume(count > 0 && count <= 256 && tasks.length <= 16_384 && guess != secret);
        vm.prank(ALICE);
        commitments.commitSecret(6, peer, hashOf(secret));
        enterRound(5);
        expectNotTheSecret(6);
        vm.prank(ALICE);
        commitments.propose(6, peer, guess, count, tasks, 0);
        vm.prank(ALICE);
        commitments.propose(6, peer, secret, count, tasks, 0);
        (uint16 kept, uint208 hash) = commitments.proposalOf(6, peer);
        vm.assertEq(kept, count);
        vm.assertEq(hash, uint208(uint256(keccak256(tasks))));
        (kept, ) = commitments.proposalOf(14, peer);
        vm.assertEq(kept, 0);
    }

    function commitSecret(uint64 round) internal {
        vm.prank(ALICE);
        commitments.commitSecret(round, peer, hashOf(SECRET));
    }

    function propose(uint64 round, bytes32 secret) internal {
        vm.prank(ALICE);
        commitments.propose(round, peer, secret, 24, TASKS, hashOf(NEXT));
    }

    function proposeSized(uint16 count, bytes memory tasks) internal {
        vm.prank(ALICE);
        commitments.propose(6, peer, SECRET, count, tasks, 0);
    }

    function expectNotOpen(uint64 round, uint64 openRound) internal {
        vm.expectRevert(
            abi.encodeWithSelector(ITaskProposals.RolloutCommitments_RoundNotOpen.selector, round, openRound, openRound)
        );
    }

    function expectNotTheSecret(uint64 round) internal {
        vm.expectRevert(abi.encodeWithSelector(ITaskProposals.RolloutCommitments_NotTheSecret.selector, round, peer));
    }

    function expectOverLimit(uint16 count, uint256 size) internal {
        vm.expectRevert(abi.encodeWithSelector(ITaskProposals.RolloutCommitments_OverLimit.selector, count, size));
    }

    function hashOf(bytes32 secret) internal pure returns (bytes32 hash) {
        return keccak256(abi.encode(secret));
    }
}
