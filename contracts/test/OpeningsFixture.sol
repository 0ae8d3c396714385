// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IOpenings} from "../src/interfaces/IOpenings.sol";
import {IRewardVotes} from "../src/interfaces/IRewardVotes.sol";
import {IRolloutCommitments} from "../src/interfaces/IRolloutCommitments.sol";
import {ITaskPay} from "../src/interfaces/ITaskPay.sol";
import {VotesFixture} from "./VotesFixture.sol";

/// @dev The first solver commits eight leaves in round 0, of which the beacon draws four; three evaluators vote on it.
abstract contract OpeningsFixture is VotesFixture {
    bytes internal constant TASKS = "three tasks";
    bytes32 internal constant COMPONENTS = keccak256("components");
    /// @dev Where the peer committed no leaf of its sample.
    uint32 internal constant NO_LEAF = type(uint32).max;

    IRewardVotes.Ballot[3] internal ballots;
    uint16[3] internal scores; // of the drawnIndex leaf; the others have 1000 less that
    uint32 internal leafCount = 8;
    /// @dev The leaf that is opened.
    uint32 internal drawnIndex;
    /// @dev The round that is played.
    uint64 internal base;
    uint16[3] internal cast = [500, 500, 500];
    /// @dev Whether the first evaluator's tree has places for more scores than leaves.
    bool internal isDeeper;
    /// @dev Stands in the first evaluator's tree at the place next to the drawn leaf; 0 for the score of the leaf there.
    bytes32 internal otherScore;
    /// @dev The task that the drawn leaf answers.
    bytes32 internal task = keccak256("task");

    function setUp() public virtual override {
        super.setUp();
        openings.describe(SPECIFICATION, 1, 13);
        drawnIndex = drawnFrom(plainSample(), openingPlace());
    }

    /// @dev Plays the round up to the fourth after it; `a`, `b` and `c` are the scores that the evaluators have for the
    /// drawn leaf.
    function play(uint16 a, uint16 b, uint16 c) internal {
        playVotes(a, b, c, 1);
    }

    function playVotes(uint16 a, uint16 b, uint16 c, uint256 peers) internal {
        scores = [a, b, c];
        drawnIndex = drawnFrom(plainSample(), openingPlace());
        commitBoth(solvers[0]);
        enterRound(base + 1);
        for (uint256 i = 0; i < 3; ++i) {
            uint16[] memory given = new uint16[](peers);
            for (uint256 j = 0; j < peers; ++j) given[j] = cast[i];
            ballots[i] = ballotOf(base, evaluators[i], given);
            for (uint256 j = 0; j < peers; ++j) {
                (bytes32 root, ) = climb(scoreLeaves(i), 0, placed);
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

    function openingOf(uint256 evaluator) internal view returns (IOpenings.Opening memory opening) {
        return openingOf(evaluator, drawnIndex);
    }

    function openingOf(uint256 evaluator, uint32 index) internal view returns (IOpenings.Opening memory opening) {
        opening.ballot = ballots[evaluator];
        opening.salt = SALT;
        opening.peerKey = solvers[0];
        opening.work = workOf(solvers[0]);
        opening.leaf = leafAt(index);
        (, opening.leafProof) = climb(leavesOf(solvers[0]), index, pairOf);
        opening.scoreMilli = scoreAt(evaluator, index);
        opening.componentsHash = COMPONENTS;
        (, opening.componentProof) = climb(scoreLeaves(evaluator), index, placed);
    }

    function workOf(bytes32 peerKey) internal view returns (IRolloutCommitments.Work memory work) {
        (bytes32 root, ) = climb(leavesOf(peerKey), 0, pairOf);
        return IRolloutCommitments.Work(root, leafCount, keccak256("policy"), keccak256("bundle"));
    }

    /// @dev Up to a power of two, as those of scores.
    function leavesOf(bytes32 peerKey) internal view returns (bytes32[] memory leaves) {
        leaves = new bytes32[](8);
        for (uint32 i = 0; i < leafCount; ++i) leaves[i] = commitments.leafOf(base, peerKey, leafAt(i));
    }

    function scoreLeaves(uint256 evaluator) internal view returns (bytes32[] memory leaves) {
        leaves = new bytes32[](8);
        for (uint32 i = 0; i < leafCount; ++i) leaves[i] = scoreLeaf(evaluator, i);
        if (evaluator == 0 && otherScore != 0) leaves[drawnIndex ^ 1] = otherScore;
    }

    /// @dev The root over leaves, and the siblings of one of them.
    function climb(
        bytes32[] memory level,
        uint256 index,
        function(bytes32, bytes32) pure returns (bytes32) pair
    ) internal pure returns (bytes32 root, bytes32[] memory proof) {
        proof = new bytes32[](3);
        for (uint256 height = 0; height < 3; ++height) {
            proof[height] = level[index ^ 1];
            for (uint256 i = 0; i < 4 >> height; ++i) level[i] = pair(level[2 * i], level[2 * i + 1]);
            index >>= 1;
        }
        root = level[0];
    }

    function leafAt(uint32 index) internal view returns (IRolloutCommitments.Leaf memory leaf) {
        leaf.index = index;
        leaf.taskHash = index == drawnIndex ? task : keccak256("second task");
        leaf.policyHash = keccak256("policy");
    }

    function scoreAt(uint256 evaluator, uint32 index) internal view returns (uint16 scoreMilli) {
        return index == drawnIndex ? scores[evaluator] : 1000 - scores[evaluator];
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

    /// @dev The first leaf that is committed, of a sample from a place on.
    function drawnFrom(uint32[] memory sample, uint256 place) internal view returns (uint32 index) {
        for (uint256 step = 0; step < sample.length; ++step) {
            index = sample[(place % sample.length + step) % sample.length];
            if (index < leafCount) return index;
        }
        return NO_LEAF;
    }

    /// @dev Four of eight leaves, drawn from a pool one after the other.
    function plainSample() internal view returns (uint32[] memory sample) {
        bytes32 seed = seedOf("waggle sample", base, solvers[0]);
        uint32[8] memory pool = [uint32(0), 1, 2, 3, 4, 5, 6, 7];
        sample = new uint32[](4);
        for (uint32 step = 0; step < 4; ++step) {
            uint256 at = uint256(keccak256(abi.encodePacked(seed, step))) % (8 - step);
            sample[step] = pool[at];
            pool[at] = pool[7 - step];
        }
    }

    function openingPlace() internal view returns (uint256 place) {
        return uint128(uint256(seedOf("waggle opening", base + 2, 0)));
    }

    /// @dev By the beacon that a round will have.
    function seedOf(string memory purpose, uint64 beaconRound, bytes32 subject) internal view returns (bytes32 seed) {
        bytes32 beacon = keccak256(abi.encode("beacon", beaconRound));
        return keccak256(abi.encode(purpose, block.chainid, base, beacon, subject, uint32(0)));
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
        claim.leaf = leafAt(drawnIndex);
        (, claim.leafProof) = climb(leavesOf(solvers[0]), drawnIndex, pairOf);
        (claim.proposerKey, claim.taskIndex) = (proposerKey, taskIndex);
    }

    function expectNotUnderRoot(IRolloutCommitments.Leaf memory leaf) internal {
        bytes32 hash = commitments.leafOf(base, solvers[0], leaf);
        vm.expectRevert(abi.encodeWithSelector(IRolloutCommitments.RolloutCommitments_NotUnderRoot.selector, hash));
    }
}
