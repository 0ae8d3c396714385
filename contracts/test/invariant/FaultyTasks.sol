// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IRolloutCommitments} from "../../src/interfaces/IRolloutCommitments.sol";
import {IStakes} from "../../src/interfaces/IStakes.sol";
import {ITaskFaults} from "../../src/interfaces/ITaskFaults.sol";
import {OpeningsFixture} from "../OpeningsFixture.sol";

/// @dev Two proposers with honest roots of tasks and faulty ones, which anyone challenges, rightly and not, and twice; and the
/// Nectar that they stake. The books are of its own.
abstract contract FaultyTasks is OpeningsFixture {
    bytes32 internal constant OTHER = keccak256("other task");

    /// @dev What a root holds; the first task is always in place 0.
    enum Kind {
        Alone,
        Two,
        TaskTwice,
        PlaceTwice,
        BeyondTheCount
    }

    uint64 internal lastBase;
    uint64[] internal playedRounds;
    mapping(uint64 round => mapping(bytes32 proposerKey => uint256 blockNumber)) internal proposedAt;
    mapping(uint64 round => mapping(bytes32 proposerKey => Kind)) internal kindOf;
    mapping(uint64 round => mapping(bytes32 proposerKey => bool)) internal isFaulty;

    mapping(bytes32 peerKey => uint256 amountWei) public expectedWei;
    mapping(bytes32 peerKey => uint256 amountWei) public claimedWei;
    mapping(bytes32 peerKey => uint256 amountWei) public stakedWei;
    uint256 public faults;
    uint256 public burntWei;
    uint256 public refused;
    uint256 public slipped;

    /// @dev Proposals for the round to come.
    function proposeFor(uint256 draw) internal {
        playedRounds.push(base);
        for (uint256 i = 1; i < 3; ++i) {
            if ((draw >> i) % 4 == 0) continue;
            kindOf[base][solvers[i]] = Kind((draw >> (16 + 8 * i)) % 5);
            // Both in one block at times.
            propose(solvers[i], block.number + ((draw >> (8 * i)) % 2));
            proposedAt[base][solvers[i]] = block.number;
        }
    }

    /// @dev Anyone shows two leaves of a root, some of which are at fault; now and then twice.
    function fault(uint256 drawn) public {
        uint256 draw = mixed(drawn);
        if (playedRounds.length == 0) return;
        challenge(draw);
        if ((draw >> 24) % 4 == 0) challenge(draw);
    }

    function challenge(uint256 draw) internal {
        bytes32 proposer = solvers[1 + (draw % 2)];
        uint64 round = (draw >> 1) % 4 == 0 && lastBase != 0 ? lastBase : base;
        // The first and the second leaf that are shown.
        (uint256 a, uint256 b) = ((draw >> 8) % 2, (draw >> 9) % 2);
        uint256 lie = (draw >> 16) % 8;
        ITaskFaults.TaskFault memory shown = faultOf(round, proposer, a, b);
        if (lie == 0) (shown.first.taskHash, shown.second.taskHash) = (TASK, TASK);
        if (lie == 1) shown.tasks.count = shown.tasks.count == 1 ? 2 : 1;
        if (lie == 2) shown.proposerKey = solvers[2 - (draw % 2)];
        if (lie == 3) shown.second.index = shown.first.index;
        // The ring of eight rounds may have come to its place.
        bool allowed = proposedAt[round][proposer] != 0 && proposedAt[round + 8][proposer] == 0;
        allowed = allowed && !isFaulty[round][proposer] && isFault(kindOf[round][proposer], a, b);
        if (lie < 4) allowed = allowed && isUnchanged(shown, faultOf(round, proposer, a, b));
        uint256 lost = stakedWei[proposer] < 25 ether ? stakedWei[proposer] : 25 ether;
        vm.prank(address(uint160(uint256(keccak256(abi.encode(draw))))));
        try openings.challengeTasks(shown) returns (uint256 lostWei) {
            note(allowed && lostWei == lost);
            if (!allowed) return;
            isFaulty[round][proposer] = true;
            stakedWei[proposer] -= lost;
            burntWei += lost;
            ++faults;
        } catch {
            require(!allowed, "a good challenge was refused");
            ++refused;
        }
    }

    /// @dev Somebody claims its Nectar, and a proposer makes its stake whole.
    function restake(uint256 drawn) public {
        uint256 draw = mixed(drawn);
        bytes32 claimer = (draw % 6) < 3 ? evaluators[draw % 3] : solvers[draw % 3];
        uint256 dueWei = votes.earnedOf(claimer) + expectedWei[claimer] - claimedWei[claimer];
        note(nectar.claim(claimer) == dueWei);
        claimedWei[claimer] += dueWei;
        bytes32 proposer = solvers[1 + ((draw >> 8) % 2)];
        address account = registry.accountOf(proposer);
        uint256 missingWei = 50 ether - stakedWei[proposer];
        bool allowed = missingWei != 0 && nectar.balanceOf(account) >= missingWei;
        vm.prank(account);
        try stakes.stake(IStakes.Duty.Proposer, proposer) {
            note(allowed);
            stakedWei[proposer] += missingWei;
        } catch {
            require(!allowed, "a good stake was refused");
            ++refused;
        }
    }

    /// @dev Whether every root that was found to be at fault is.
    function onlyFaultyAreFound() external view returns (bool are) {
        for (uint256 i = 0; i < playedRounds.length; ++i) {
            for (uint256 j = 1; j < 3; ++j) {
                (uint64 round, bytes32 proposer) = (playedRounds[i], solvers[j]);
                bool isHonest = proposedAt[round][proposer] == 0 || kindOf[round][proposer] < Kind.TaskTwice;
                if (isHonest && openings.areFaulty(round, proposer)) return false;
            }
        }
        return true;
    }

    function note(bool allowed) internal {
        if (!allowed) ++slipped;
    }

    function faultOf(
        uint64 round,
        bytes32 proposer,
        uint256 a,
        uint256 b
    ) internal view returns (ITaskFaults.TaskFault memory shown) {
        Kind kind = kindOf[round][proposer];
        (shown.round, shown.proposerKey, shown.tasks) = (round, proposer, rootOf(round, proposer));
        (shown.first, shown.second) = (taskAt(kind, a), taskAt(kind, b));
        (shown.firstProof, shown.secondProof) = (proofOf(round, proposer, a), proofOf(round, proposer, b));
    }

    function tasksOf(bytes32 proposer) internal view override returns (IRolloutCommitments.Tasks memory tasks) {
        return rootOf(base, proposer);
    }

    function rootOf(uint64 round, bytes32 proposer) internal view returns (IRolloutCommitments.Tasks memory tasks) {
        Kind kind = kindOf[round][proposer];
        bytes32 root = hashAt(round, proposer, 0);
        if (kind != Kind.Alone) root = pairOf(root, hashAt(round, proposer, 1));
        uint32 count = kind == Kind.Alone || kind == Kind.BeyondTheCount ? 1 : 2;
        return IRolloutCommitments.Tasks(root, count, keccak256("tasks"));
    }

    /// @dev The siblings of a task.
    function proofOf(uint64 round, bytes32 proposer, uint256 at) internal view returns (bytes32[] memory proof) {
        if (kindOf[round][proposer] == Kind.Alone) return proof;
        proof = new bytes32[](1);
        proof[0] = hashAt(round, proposer, 1 - at);
    }

    function hashAt(uint64 round, bytes32 proposer, uint256 at) internal view returns (bytes32 hash) {
        return commitments.leafOf(round, proposer, taskAt(kindOf[round][proposer], at));
    }

    /// @dev Whether two leaves that are shown are a fault of a root: the rule in words.
    function isFault(Kind kind, uint256 a, uint256 b) internal pure returns (bool is_) {
        if (kind == Kind.TaskTwice || kind == Kind.PlaceTwice) return a != b;
        return kind == Kind.BeyondTheCount && a == 1;
    }

    function isUnchanged(
        ITaskFaults.TaskFault memory one,
        ITaskFaults.TaskFault memory other
    ) internal pure returns (bool is_) {
        return keccak256(abi.encode(one)) == keccak256(abi.encode(other));
    }

    function taskAt(Kind kind, uint256 at) internal pure returns (IRolloutCommitments.Leaf memory leaf) {
        bool isSecond = at == 1 && kind != Kind.Alone;
        leaf.index = isSecond && kind != Kind.PlaceTwice ? 1 : 0;
        leaf.taskHash = isSecond && kind != Kind.TaskTwice ? OTHER : TASK;
        // One task in one place is one leaf, whatever else it says: these are two.
        if (isSecond) leaf.seed = bytes32("second");
    }
}
