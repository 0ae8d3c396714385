// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IStakes} from "../src/interfaces/IStakes.sol";
import {VotesFixture} from "./VotesFixture.sol";

/// @dev A swarm whose bootstrap ends with round 5, in round 4, with the Nectar of round 0 claimed by the first solver.
abstract contract StakesFixture is VotesFixture {
    uint64 internal constant BOOTSTRAP = 6;
    uint256 internal constant SEAT_WEI = 100 ether;
    uint256 internal constant TASKS_WEI = 50 ether;

    IStakes.Duty internal constant EVALUATOR = IStakes.Duty.Evaluator;
    IStakes.Duty internal constant PROPOSER = IStakes.Duty.Proposer;

    function setUp() public virtual override {
        super.setUp();
        commitRollouts(solvers[0]);
        voteAlike(0, scoresOf(800));
        votes.settle(0, 0, firstSolvers(1));
        enterRound(4);
        nectar.claim(solvers[0]);
    }

    function bootstrapRounds() internal pure virtual override returns (uint64 round) {
        return BOOTSTRAP;
    }

    /// @dev Gives a peer's account what it needs for a duty, and stakes it.
    function stakeFor(IStakes.Duty duty, bytes32 peerKey) internal {
        stakeAs(afford(duty, peerKey), duty, peerKey);
    }

    /// @dev Gives a peer's account what a duty takes, allowed to be taken.
    function afford(IStakes.Duty duty, bytes32 peerKey) internal returns (address account) {
        account = registry.accountOf(peerKey);
        give(account, stakes.fullStakeOf(duty));
        vm.prank(account);
        nectar.approve(address(stakes), type(uint256).max);
    }

    function give(address account, uint256 amountWei) internal {
        address rich = registry.accountOf(solvers[0]);
        vm.prank(rich);
        nectar.transfer(account, amountWei);
    }

    /// @dev Makes no call before the one that an expectation is of.
    function stakeAs(address account, IStakes.Duty duty, bytes32 peerKey) internal {
        vm.prank(account);
        stakes.stake(duty, peerKey);
    }

    function unstakeAs(address account, IStakes.Duty duty, bytes32 peerKey) internal {
        vm.prank(account);
        stakes.unstake(duty, peerKey);
    }

    function unstake(IStakes.Duty duty, bytes32 peerKey) internal {
        unstakeAs(registry.accountOf(peerKey), duty, peerKey);
    }

    function slash(IStakes.Duty duty, bytes32 peerKey, uint16 milli) internal returns (uint256 lostWei) {
        vm.prank(address(votes));
        return stakes.slash(duty, peerKey, milli, address(0));
    }

    function amountOf(IStakes.Duty duty, bytes32 peerKey) internal view returns (uint256 amountWei) {
        return stakes.stakeOf(duty, peerKey).amountWei;
    }
}
