// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IRolloutCommitments} from "../src/interfaces/IRolloutCommitments.sol";
import {IRounds} from "../src/interfaces/IRounds.sol";
import {ITaskProposals} from "../src/interfaces/ITaskProposals.sol";
import {SwarmFixture} from "./SwarmFixture.sol";

contract RolloutCommitmentsTest is SwarmFixture {
    address internal constant ALICE = address(0xA11CE);
    address internal constant BOB = address(0xB0B);
    bytes32 internal constant ROOT = keccak256("root");
    bytes32 internal constant POLICY = keccak256("policy");
    bytes32 internal constant CONTENT = keccak256("content");

    bytes32 internal peer;

    function setUp() public override {
        super.setUp();
        peer = enrol(1, ALICE);
    }

    function test_NamesItsParts() public view {
        vm.assertEq(address(commitments.peerRegistry()), address(registry));
        vm.assertEq(address(commitments.rounds()), address(rounds));
    }

    function test_RecordsACommitment() public {
        vm.assertFalse(commitments.committed(0, peer));
        vm.expectEmit(address(commitments));
        emit IRolloutCommitments.RolloutsCommitted(0, peer, 0, ROOT, 64, POLICY, CONTENT);
        vm.prank(ALICE);
        commitments.commit(0, peer, ROOT, 64, POLICY, CONTENT, 0);

        vm.assertTrue(commitments.committed(0, peer));
        vm.assertTrue(isCommitment(0, peer, ROOT, 64, POLICY, CONTENT));
        vm.assertFalse(isCommitment(0, peer, ROOT, 63, POLICY, CONTENT));
        vm.assertFalse(isCommitment(0, peer, ROOT, 64, CONTENT, POLICY));
        vm.assertFalse(isCommitment(1, peer, ROOT, 64, POLICY, CONTENT));
        vm.assertFalse(isCommitment(6, peer, ROOT, 64, POLICY, CONTENT));
        vm.assertFalse(commitments.committed(1, peer));
        vm.assertFalse(commitments.committed(6, peer));
    }

    /// @dev A key made to fit a beacon: it was ground until its draws were good, and registered after the beacon.
    function test_AKeyCountsFromTheSecondRoundThatBeginsAfterItsRegistration() public {
        enterRound(4);
        bytes32 ground = enrolNow(2, BOB);
        for (uint64 round = 4; round < 6; ++round) {
            vm.expectRevert(
                abi.encodeWithSelector(ITaskProposals.RolloutCommitments_KeyTooNew.selector, round, ground, 6)
            );
            vm.prank(BOB);
            commitments.commit(round, ground, ROOT, 64, POLICY, CONTENT, 0);
            enterRound(round + 1);
        }
        commitRollouts(ground);
        vm.assertTrue(commitments.committed(6, ground));
    }

    function test_TheLastCommitmentOfTheRoundCounts() public {
        vm.prank(ALICE);
        commitments.commit(0, peer, ROOT, 64, POLICY, CONTENT, 0);
        vm.prank(ALICE);
        commitments.commit(0, peer, CONTENT, 1, POLICY, ROOT, 0);
        vm.assertFalse(isCommitment(0, peer, ROOT, 64, POLICY, CONTENT));
        vm.assertTrue(isCommitment(0, peer, CONTENT, 1, POLICY, ROOT));
    }

    function test_NamesTheNextPolicy() public {
        vm.expectEmit(address(commitments));
        emit IRolloutCommitments.RolloutsCommitted(0, peer, 0, ROOT, 64, POLICY, CONTENT);
        vm.expectEmit(address(commitments));
        emit IRolloutCommitments.PolicyCommitted(1, peer, CONTENT);
        vm.prank(ALICE);
        commitments.commit(0, peer, ROOT, 64, POLICY, CONTENT, CONTENT);
        vm.expectEmit(address(commitments));
        emit IRolloutCommitments.PolicyCommitted(1, peer, POLICY);
        vm.prank(ALICE);
        commitments.commitPolicy(1, peer, POLICY);
        vm.warp(START - 1);
        vm.expectEmit(address(commitments));
        emit IRolloutCommitments.PolicyCommitted(0, peer, POLICY);
        vm.prank(ALICE);
        commitments.commitPolicy(0, peer, POLICY);
    }

    function test_RevertWhen_NamingThePolicyOfAnotherRound() public {
        enterRound(4);
        for (uint64 round = 4; round <= 6; round += 2) {
            vm.expectRevert(
                abi.encodeWithSelector(ITaskProposals.RolloutCommitments_RoundNotOpen.selector, round, 5, 5)
            );
            vm.prank(ALICE);
            commitments.commitPolicy(round, peer, POLICY);
        }
    }

    function test_RevertWhen_NamingNoPolicy() public {
        vm.expectRevert(abi.encodeWithSelector(IRolloutCommitments.RolloutCommitments_NoPolicy.selector, 1, peer));
        vm.prank(ALICE);
        commitments.commitPolicy(1, peer, 0);
    }

    function test_StaysReadableForTheWholeRing() public {
        commitRollouts(peer);
        for (uint64 round = 1; round < 6; ++round) {
            enterRound(round);
            commitRollouts(peer);
        }
        for (uint64 round = 0; round < 6; ++round) vm.assertTrue(commitments.committed(round, peer));
        enterRound(6);
        commitRollouts(peer);
        vm.assertFalse(commitments.committed(0, peer));
        vm.assertTrue(commitments.committed(1, peer));
    }

    function testFuzz_OnlyTheCommittedWordsMatch(bytes32 root, uint32 leaves, bytes32 policy, uint8 changed) public {
        vm.assume(root != 0 && leaves != 0);
        vm.prank(ALICE);
        commitments.commit(0, peer, root, leaves, policy, CONTENT, 0);
        vm.assertTrue(isCommitment(0, peer, root, leaves, policy, CONTENT));
        bytes32 bit = bytes32(uint256(1) << changed);
        vm.assertFalse(isCommitment(0, peer, root ^ bit, leaves, policy, CONTENT));
        vm.assertFalse(isCommitment(0, peer, root, leaves, policy ^ bit, CONTENT));
        vm.assertFalse(isCommitment(0, peer, root, leaves, policy, CONTENT ^ bit));
    }

    function test_RevertWhen_CommittingForAnotherRound() public {
        enterRound(4);
        for (uint64 round = 3; round <= 5; round += 2) {
            vm.expectRevert(
                abi.encodeWithSelector(IRolloutCommitments.RolloutCommitments_NotCurrentRound.selector, round, 4)
            );
            vm.prank(ALICE);
            commitments.commit(round, peer, ROOT, 64, POLICY, CONTENT, 0);
        }
    }

    function test_RevertWhen_CommittingBeforeTheStart() public {
        vm.warp(START - 1);
        vm.expectRevert(abi.encodeWithSelector(IRounds.Rounds_NotStarted.selector, START - 1, START));
        vm.prank(ALICE);
        commitments.commit(0, peer, ROOT, 64, POLICY, CONTENT, 0);
    }

    function test_RevertWhen_CommittingForAnothersPeer() public {
        bytes memory refusal = abi.encodeWithSelector(
            ITaskProposals.RolloutCommitments_NotPeerAccount.selector,
            peer,
            BOB
        );
        vm.expectRevert(refusal);
        vm.prank(BOB);
        commitments.commit(0, peer, ROOT, 64, POLICY, CONTENT, 0);
        vm.expectRevert(refusal);
        vm.prank(BOB);
        commitments.commitPolicy(1, peer, POLICY);
    }

    function test_RevertWhen_CommittingToNothing() public {
        expectEmpty(0, 64);
        commitments.commit(0, peer, 0, 64, POLICY, CONTENT, 0);
        expectEmpty(ROOT, 0);
        commitments.commit(0, peer, ROOT, 0, POLICY, CONTENT, 0);
    }

    function expectEmpty(bytes32 root, uint32 count) internal {
        vm.expectRevert(abi.encodeWithSelector(IRolloutCommitments.RolloutCommitments_Empty.selector, root, count));
        vm.prank(ALICE);
    }

    function testFuzz_LeafBindsEveryWord(uint64 round, IRolloutCommitments.Leaf calldata leaf) public view {
        bytes32 expected = keccak256(
            abi.encode(
                keccak256(
                    abi.encode(
                        block.chainid,
                        round,
                        peer,
                        leaf.index,
                        leaf.taskHash,
                        leaf.policyHash,
                        leaf.seed,
                        leaf.bodyHash
                    )
                )
            )
        );
        vm.assertEq(commitments.leafOf(round, peer, leaf), expected);
    }

    function testFuzz_ProvesLeavesOfATreeOfFour(bytes32[4] calldata leaves, uint256 position) public view {
        bytes32 left = hashPair(leaves[0], leaves[1]);
        bytes32 right = hashPair(leaves[2], leaves[3]);
        bytes32 root = hashPair(left, right);
        uint256 i = bound(position, 0, 3);
        bytes32[] memory proof = new bytes32[](2);
        proof[0] = leaves[i ^ 1];
        proof[1] = i < 2 ? right : left;
        vm.assertTrue(commitments.verifyLeaf(root, leaves[i], proof));
        vm.assertFalse(commitments.verifyLeaf(root, ~leaves[i], proof));
        vm.assertFalse(commitments.verifyLeaf(~root, leaves[i], proof));
    }

    function hashPair(bytes32 a, bytes32 b) internal pure returns (bytes32 parent) {
        return a < b ? keccak256(abi.encode(a, b)) : keccak256(abi.encode(b, a));
    }

    function testFuzz_RequiresLeavesOfTheCommitment(bytes32 sibling, bytes32 changed) public {
        IRolloutCommitments.Leaf memory leaf = IRolloutCommitments.Leaf(7, ROOT, POLICY, CONTENT, sibling);
        bytes32[] memory proof = new bytes32[](1);
        proof[0] = sibling;
        bytes32 root = hashPair(commitments.leafOf(0, peer, leaf), sibling);
        IRolloutCommitments.Work memory work = IRolloutCommitments.Work(root, 2, POLICY, CONTENT);
        vm.prank(ALICE);
        commitments.commit(0, peer, root, 2, POLICY, CONTENT, 0);
        commitments.requireLeaf(0, peer, work, leaf, proof);
        work.leafCount = 8;
        expectNotCommitted();
        commitments.requireLeaf(0, peer, work, leaf, proof);
        work.leafCount = 2;
        vm.assume(changed != leaf.seed);
        leaf.seed = changed;
        vm.expectRevert(
            abi.encodeWithSelector(
                IRolloutCommitments.RolloutCommitments_NotUnderRoot.selector,
                commitments.leafOf(0, peer, leaf)
            )
        );
        commitments.requireLeaf(0, peer, work, leaf, proof);
    }

    function test_RevertWhen_SamplingARoundWithoutABeacon() public {
        vm.warp(rounds.startOf(1));
        vm.expectRevert(abi.encodeWithSelector(IRolloutCommitments.RolloutCommitments_NoBeacon.selector, 0));
        commitments.sampledLeaves(0, peer, 64, 32);
        enterRound(1);
        vm.assertEq(commitments.sampledLeaves(0, peer, 64, 32).length, 32);
    }

    function testFuzz_SamplesDistinctLeavesOfThoseOwed(bytes32 peerKey, uint32 owed, uint32 count) public {
        (owed, count) = (uint32(bound(owed, 0, 100)), uint32(bound(count, 0, 120)));
        enterRound(1);
        uint32[] memory drawn = commitments.sampledLeaves(0, peerKey, owed, count);
        vm.assertEq(drawn.length, count < owed ? count : owed);
        bool[] memory seen = new bool[](owed);
        for (uint256 i = 0; i < drawn.length; ++i) {
            vm.assertFalse(seen[drawn[i]]);
            seen[drawn[i]] = true;
        }
    }

    function test_NumbersPeersByTheirFirstCommitment() public {
        bytes32 second = enrol(2, BOB);
        vm.assertEq(commitments.committedCount(0), 0);
        commitRollouts(peer);
        commitRollouts(second);
        commitRollouts(peer);
        expectOrdinals(0, peer, second, 0, 1);
        enterRound(1);
        commitRollouts(second);
        commitRollouts(peer);
        expectOrdinals(1, peer, second, 1, 0);
        expectOrdinals(0, peer, second, 0, 1);
        vm.assertEq(commitments.committedCount(6), 0);
    }

    function test_RevertWhen_AskingForThePlaceOfOneThatCommittedNothing() public {
        bytes32[] memory peers = new bytes32[](1);
        peers[0] = peer;
        vm.expectRevert(abi.encodeWithSelector(IRolloutCommitments.RolloutCommitments_NoCommitment.selector, 0, peer));
        commitments.ordinalsOf(0, peers);
    }

    function expectOrdinals(uint64 round, bytes32 a, bytes32 b, uint256 ofA, uint256 ofB) internal view {
        bytes32[] memory peers = new bytes32[](2);
        (peers[0], peers[1]) = (a, b);
        uint32[] memory ordinals = commitments.ordinalsOf(round, peers);
        vm.assertEq(ordinals[0], ofA);
        vm.assertEq(ordinals[1], ofB);
        vm.assertEq(commitments.committedCount(round), 2);
    }

    function isCommitment(
        uint64 round,
        bytes32 peerKey,
        bytes32 root,
        uint32 leafCount,
        bytes32 policy,
        bytes32 content
    ) internal view returns (bool same) {
        IRolloutCommitments.Work memory work = IRolloutCommitments.Work(root, leafCount, policy, content);
        try commitments.requireCommitted(round, peerKey, work) {
            return true;
        } catch (bytes memory reason) {
            require(bytes4(reason) == IRolloutCommitments.RolloutCommitments_NotCommitted.selector, "another reason");
        }
    }

    function expectNotCommitted() internal {
        vm.expectRevert(abi.encodeWithSelector(IRolloutCommitments.RolloutCommitments_NotCommitted.selector, 0, peer));
    }
}
