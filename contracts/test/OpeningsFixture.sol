// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IOpenings} from "../src/interfaces/IOpenings.sol";
import {IRewardVotes} from "../src/interfaces/IRewardVotes.sol";
import {IRolloutCommitments} from "../src/interfaces/IRolloutCommitments.sol";
import {ITaskPay} from "../src/interfaces/ITaskPay.sol";
import {VotesFixture} from "./VotesFixture.sol";

/// @dev The first solver commits two leaves in round 0; three evaluators vote on it.
abstract contract OpeningsFixture is VotesFixture {
    bytes internal constant TASKS = "three tasks";
    bytes32 internal constant COMPONENTS = keccak256("components");

    IRewardVotes.Ballot[3] internal ballots;
    uint16[3] internal scores; // of leaf 0; leaf 1 has 1000 less that
    /// @dev The round that is played.
    uint64 internal base;
    uint16[3] internal cast = [500, 500, 500];
    /// @dev Whether the first evaluator's tree has places for more scores than leaves.
    bool internal isDeeper;
    /// @dev Stands in the first evaluator's tree at the place of leaf 1; 0 for its score.
    bytes32 internal otherScore;
    /// @dev The task that leaf 0 answers.
    bytes32 internal task = keccak256("task");

    /// @dev Plays the round up to the fourth after it; `a`, `b` and `c` are the scores that the evaluators have for leaf 0.
    function play(uint16 a, uint16 b, uint16 c) internal {
        playVotes(a, b, c, 1);
    }

    function playVotes(uint16 a, uint16 b, uint16 c, uint256 peers) internal {
        scores = [a, b, c];
        commitBoth(solvers[0]);
        enterRound(base + 1);
        for (uint256 i = 0; i < 3; ++i) {
            uint16[] memory given = new uint16[](peers);
            for (uint256 j = 0; j < peers; ++j) given[j] = cast[i];
            ballots[i] = ballotOf(base, evaluators[i], given);
            for (uint256 j = 0; j < peers; ++j) {
                bytes32 root = placed(scoreLeaf(i, 0), i == 0 && otherScore != 0 ? otherScore : scoreLeaf(i, 1));
                ballots[i].componentRoots[j] = i == 0 && isDeeper ? placed(root, bytes32(0)) : root;
            }
            commitBallot(ballots[i]);
        }
        enterRound(base + 2);
        for (uint256 i = 0; i < 3; ++i) revealBallot(ballots[i]);
        enterRound(base + 3);
        bytes32[] memory page = new bytes32[](1);
        page[0] = solvers[0];
        votes.settle(base, 0, page);
        enterRound(base + 4);
    }

    function commitBoth(bytes32 peerKey) internal {
        IRolloutCommitments.Work memory work = workOf(peerKey);
        vm.prank(registry.accountOf(peerKey));
        commitments.commit(base, peerKey, work.root, work.leafCount, work.policyHash, work.contentId, 0);
    }

    /// @dev Sent by the evaluator's account.
    function openAs(uint256 evaluator, IOpenings.Opening memory opening) internal {
        vm.prank(accountNamed(100 + evaluator));
        openings.open(opening);
    }

    function openingOf(uint256 evaluator, uint32 index) internal view returns (IOpenings.Opening memory opening) {
        opening.ballot = ballots[evaluator];
        opening.salt = SALT;
        opening.peerKey = solvers[0];
        opening.work = workOf(solvers[0]);
        opening.leaf = leafAt(index);
        opening.leafProof = new bytes32[](1);
        opening.leafProof[0] = commitments.leafOf(base, solvers[0], leafAt(1 - index));
        opening.scoreMilli = scoreAt(evaluator, index);
        opening.componentsHash = COMPONENTS;
        opening.componentProof = new bytes32[](1);
        opening.componentProof[0] = scoreLeaf(evaluator, 1 - index);
    }

    function workOf(bytes32 peerKey) internal view returns (IRolloutCommitments.Work memory work) {
        bytes32 root = pairOf(
            commitments.leafOf(base, peerKey, leafAt(0)),
            commitments.leafOf(base, peerKey, leafAt(1))
        );
        return IRolloutCommitments.Work(root, 2, keccak256("policy"), keccak256("bundle"));
    }

    function leafAt(uint32 index) internal view returns (IRolloutCommitments.Leaf memory leaf) {
        leaf.index = index;
        leaf.taskHash = index == 0 ? task : keccak256("second task");
        leaf.policyHash = keccak256("policy");
    }

    function scoreAt(uint256 evaluator, uint32 index) internal view returns (uint16 scoreMilli) {
        return index == 0 ? scores[evaluator] : 1000 - scores[evaluator];
    }

    function scoreLeaf(uint256 evaluator, uint32 index) internal view returns (bytes32 leaf) {
        return scoreLeaf(evaluator, index, scoreAt(evaluator, index));
    }

    function scoreLeaf(uint256 evaluator, uint32 index, uint16 scoreMilli) internal view returns (bytes32 leaf) {
        bytes32 inner = keccak256(
            abi.encode(block.chainid, base, evaluators[evaluator], solvers[0], index, scoreMilli, COMPONENTS)
        );
        return keccak256(abi.encode(inner));
    }

    /// @dev A node of a tree in which each side has its place.
    function placed(bytes32 left, bytes32 right) internal pure returns (bytes32 root) {
        return keccak256(abi.encode(left, right));
    }

    function pairOf(bytes32 a, bytes32 b) internal pure returns (bytes32 root) {
        return a < b ? keccak256(abi.encode(a, b)) : keccak256(abi.encode(b, a));
    }

    function commitSecret(uint64 round, bytes32 peerKey) internal {
        address account = registry.accountOf(peerKey);
        vm.prank(account);
        commitments.commitSecret(round, peerKey, keccak256(abi.encode(secretOf(round))));
    }

    /// @dev Proposes three tasks.
    function propose(uint64 round, bytes32 peerKey) internal {
        address account = registry.accountOf(peerKey);
        vm.prank(account);
        commitments.propose(round, peerKey, secretOf(round), 3, TASKS, 0);
    }

    function secretOf(uint64 round) internal pure returns (bytes32 secret) {
        return keccak256(abi.encode("secret", round));
    }

    function claimOf(bytes32 proposerKey, uint32 taskIndex) internal view returns (ITaskPay.TaskClaim memory claim) {
        claim.round = base;
        claim.peerKey = solvers[0];
        claim.work = workOf(solvers[0]);
        claim.leaf = leafAt(0);
        claim.leafProof = new bytes32[](1);
        claim.leafProof[0] = commitments.leafOf(base, solvers[0], leafAt(1));
        (claim.proposerKey, claim.taskIndex) = (proposerKey, taskIndex);
    }

    function expectNotUnderRoot(IRolloutCommitments.Leaf memory leaf) internal {
        bytes32 hash = commitments.leafOf(base, solvers[0], leaf);
        vm.expectRevert(abi.encodeWithSelector(IRolloutCommitments.RolloutCommitments_NotUnderRoot.selector, hash));
    }
}
